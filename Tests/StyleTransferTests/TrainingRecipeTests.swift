import Engine
import Foundation
import Testing

@testable import StyleTransfer

@Suite("Recipes")
struct TrainingRecipeTests {
  private struct Fixture: Decodable {
    struct Crop: Decodable {
      let recipe: String
      let index: UInt64
      let width: Int
      let height: Int
      let x: Int
      let y: Int
      let side: Int
      let isMirrored: Bool
      let exposure: String
      let limit: Float
    }
    let crops: [Crop]
    let order: [Int]
  }

  private func fixture() throws -> Fixture {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/training-steps.json")
    return try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: file))
  }

  @Test("Python draws the same crops of photos")
  func crops() throws {
    let crops = try fixture().crops
    #expect(crops.count == 80)
    for expected in crops {
      let recipe = try #require(TrainingRecipe.Name(rawValue: expected.recipe)).recipe
      var generator = SplitMix64(counting: expected.index, seed: 7)
      let crop = RandomCrop(
        width: expected.width, height: expected.height, recipe.photos, &generator)
      #expect(crop.x == expected.x && crop.y == expected.y && crop.side == expected.side)
      #expect(crop.isMirrored == expected.isMirrored)
      switch crop.exposure {
      case nil: #expect(expected.exposure == "none")
      case .over(let limit):
        #expect(expected.exposure == "over" && abs(limit - expected.limit) < 1e-4)
      case .under(let limit):
        #expect(expected.exposure == "under" && abs(limit - expected.limit) < 1e-4)
      }
    }
  }

  @Test("Python takes the photos in the same order")
  func order() throws {
    let training = try TrainingFixture()
    defer { training.remove() }
    let contents = try ContentPictures(folder: training.contents)
    #expect(contents.files.count == 5)
    let order: [Int] = (0..<20).map { contents.position(of: $0 % 5, round: $0 / 5, seed: 7) }
    #expect(try order == fixture().order)
  }

  @Test("Settings of versions without recipes are read as the recipe that these versions had")
  func oldSettings() throws {
    let text = """
      {"algorithm":"cnn","batchSize":1,"iterations":1600,"learningRate":0.0006,"pictureSide":224,
      "seed":1,"smoothness":1,"stability":0,"strength":5,"texelDensity":384}
      """
    let settings = try JSONDecoder().decode(StyleTrainingSettings.self, from: Data(text.utf8))
    #expect(settings.recipe == .equalLayers && settings.texelDensity == 384)
  }

  @Test(
    "Settings survive a round trip, and a style's description names the recipe's values",
    arguments: TrainingRecipe.Name.allCases)
  func roundTrip(_ name: TrainingRecipe.Name) throws {
    let settings = StyleTrainingSettings(recipe: name.recipe)
    let data = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(StyleTrainingSettings.self, from: data) == settings)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = StyleTrainingFolder(folder)
    try files.make()
    try files.write(settings, initialName: "none")
    let record = try TrainingRecord(folder: folder)
    #expect(record.settings["recipe.content.layer"] == .text(name.recipe.content.layer))
    #expect(record.settings["recipe.photos.crop"] == .text(name.recipe.photos.crop.rawValue))
    #expect(name.recipe.name == name)
  }

  @Test("A recipe out of range is refused in one sentence")
  func range() throws {
    var settings = StyleTrainingSettings()
    settings.recipe.photos.photosPerExposure = -1
    let error = try #require(throws: StyleTransferError.self) { try settings.check() }
    #expect(
      error.message == "The number of photos per exposure is -1, expected 0 to 1000000.")
  }

  @Test("The video network has no shortcuts in any recipe", arguments: TrainingRecipe.Name.allCases)
  func lite(_ name: TrainingRecipe.Name) {
    let settings = StyleTrainingSettings(algorithm: .cnnLite, recipe: name.recipe)
    #expect(settings.architecture == .lite)
  }
}
