import Foundation
import ModelTools
import Service

extension Studio {
  /// All addresses.
  func router() -> Router {
    var router = Router()
    addHealth(to: &router)
    addPainting(to: &router)
    addLooking(to: &router)
    addModels(to: &router)
    addLive(to: &router)
    addTraining(to: &router)
    addDrawing(to: &router)
    return router
  }

  /// Whether what losses are measured with is at hand.
  var canTrain: Bool { FetchableModel.vgg16.isFetched() }

  /// Whether the pair of networks is at hand that paints in the style of any painting.
  var canPaintAny: Bool { FetchableModel.arbitraryStyle.isFetched() }

  /// What is done once the studio listens.
  func begin() {
    DispatchQueue.global(qos: .utility).async { [trainings] in trainings.load() }
    Task(priority: .utility) { [models, workers] in await models.addFolder(workers) }
  }

  /// What is done before it ends.
  func end() {
    trainings.pauseAll()
    workers.close()
  }
}
