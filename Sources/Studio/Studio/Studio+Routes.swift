import Foundation
import ModelTools
import Service

extension Studio {
  /// Returns all routes.
  func router() -> Router {
    var router = Router()
    addHealth(to: &router)
    addPainting(to: &router)
    addOptimizing(to: &router)
    addFilms(to: &router)
    addLooking(to: &router)
    addModels(to: &router)
    addLive(to: &router)
    addTraining(to: &router)
    addDrawing(to: &router)
    addFetching(to: &router)
    addInference(to: &router)
    return router
  }

  /// Whether VGG-16 is fetched. Training computes its losses with this network.
  var canTrain: Bool { FetchableModel.vgg16.isFetched() }

  /// Whether the two networks for arbitrary styles are fetched.
  var canPaintAny: Bool { FetchableModel.arbitraryStyle.isFetched() }

  /// Loads the stored trainings and the models of the folder in the background. ``StudioServer`` calls this method when
  /// it begins to listen.
  func begin() {
    DispatchQueue.global(qos: .utility).async { [trainings] in trainings.load() }
    Task(priority: .utility) { [models, workers] in await models.addFolder(workers) }
  }

  /// Stops paintings by optimisation and paintings of films, and pauses all trainings. Requests are still answered.
  func pause() {
    optimizations.stopAll()
    films.stopAll()
    trainings.pauseAll()
  }

  /// Also ends the worker processes. ``StudioServer`` calls this method when no request is open any more.
  func end() {
    pause()
    workers.close()
  }
}
