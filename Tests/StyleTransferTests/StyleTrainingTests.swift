import Engine
import Foundation
import Imaging
import Testing

@testable import StyleTransfer

@Suite("Training a style")
struct StyleTrainingTests {
  @Test("The style loss decreases")
  func lossFalls() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let training = try fixture.training(fixture.settings(iterations: 40))
    #expect(try training.run())
    let style: [Double] = training.losses.map(\.style)
    #expect(style.count == 40)
    #expect(style.suffix(5).max() ?? 1 < 0.7 * style[0], "\(style)")
  }

  @Test("An interrupted and resumed training ends with the same weights bit for bit")
  func resumes() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let uninterrupted = try fixture.training(fixture.settings(), files: "uninterrupted")
    try uninterrupted.run()
    var steps: Int = 0
    let first = try fixture.training(fixture.settings(), files: "parts")
    #expect(
      try !first.run(shouldStop: {
        steps += 1
        return steps > 3
      }))
    #expect(first.iteration == 3)
    let second = try fixture.training(fixture.settings(), files: "parts", .resumed)
    #expect(second.iteration == 3)
    try second.run()
    #expect(second.network.values == uninterrupted.network.values)
    #expect(second.losses == uninterrupted.losses)
  }

  @Test("A training killed between checkpoints continues from the last one")
  func survivesKills() throws {
    struct Kill: Error {}
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let uninterrupted = try fixture.training(fixture.settings())
    try uninterrupted.run()
    for limit in [3, 5] {
      let part = try fixture.training(fixture.settings(), files: "parts", .resumed)
      #expect(throws: Kill.self) {
        try part.run(report: { if $0.losses.iteration == limit { throw Kill() } })
      }
    }
    let last = try fixture.training(fixture.settings(), files: "parts", .resumed)
    #expect(last.iteration == 4)
    try last.run()
    #expect(last.network.values == uninterrupted.network.values)
    let folder = StyleTrainingFolder(fixture.folder.appendingPathComponent("parts"))
    #expect(folder.readLosses().map(\.iteration) == Array(1...6))
    #expect(try String(contentsOf: folder.curve, encoding: .utf8).contains("</svg>"))
  }

  @Test("An existing training is not overwritten unless requested")
  func keepsTrainings() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let settings = fixture.settings(iterations: 2)
    try fixture.training(settings, files: "files").run()
    let folder = StyleTrainingFolder(fixture.folder.appendingPathComponent("files"))
    let before = try Data(contentsOf: folder.checkpoint)
    let error = #expect(throws: StyleTransferError.self) {
      try fixture.training(settings, files: "files")
    }
    #expect(error?.message.contains("contains a training already") == true)
    #expect(try Data(contentsOf: folder.checkpoint) == before)

    let note = folder.url.appendingPathComponent("notes.txt")
    try Data("mine".utf8).write(to: note)
    let over = try fixture.training(settings, files: "files", .over)
    #expect(over.iteration == 0 && over.losses.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.checkpoint.path))
    #expect(FileManager.default.fileExists(atPath: note.path))
  }

  @Test("Two trainings cannot write into one folder at the same time")
  func locked() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let settings = fixture.settings(iterations: 2)
    let first = try fixture.training(settings, files: "files")
    for beginning in [StyleTraining.Beginning.new, .resumed, .over] {
      let error = #expect(throws: StyleTransferError.self) {
        try fixture.training(settings, files: "files", beginning)
      }
      #expect(error?.message.contains("Another training uses") == true)
    }
    try first.run()
    let folder = StyleTrainingFolder(fixture.folder.appendingPathComponent("files"))
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/lock"))
    #expect(try fixture.training(settings, files: "files", .resumed).isFinished)
  }

  @Test("A training does not continue with another strength")
  func otherSettings() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    try fixture.training(fixture.settings(iterations: 2), files: "files").run()
    var other = fixture.settings(iterations: 2)
    other.strength = 9
    let error = #expect(throws: StyleTransferError.self) {
      try fixture.training(other, files: "files", .resumed)
    }
    #expect(error?.message.contains("the strength 5, but now it is 9") == true)
  }

  @Test("A training does not continue with another recipe")
  func otherRecipe() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    try fixture.training(fixture.settings(iterations: 2), files: "files").run()
    var other = fixture.settings(iterations: 2)
    other.recipe = .wholePhotos
    let error = #expect(throws: StyleTransferError.self) {
      try fixture.training(other, files: "files", .resumed)
    }
    #expect(
      error?.message.contains("the recipe neighbors, but now it is whole-photos") == true)
  }

  @Test("A training does not start from a network with other shortcuts")
  func otherShortcuts() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    var settings = fixture.settings(iterations: 2)
    settings.recipe = .noPictureShortcut
    var task = StyleTraining.Task(
      settings: settings, painting: fixture.painting, contents: fixture.contents)
    task.initial = StyleNetwork(.cnn, seed: 1, architecture: TrainingFixture.architecture)
    let error = #expect(throws: StyleTransferError.self) {
      try StyleTraining(
        task, features: try FeatureNetwork(SmallFeatures().model(), name: "small"),
        weights: TrainingFixture.weights)
    }
    #expect(
      error?.message.contains("has the shortcuts 'stagesAndPicture', but the recipe") == true)
  }

  @Test("A training with a colour loss moves the colours towards those of the painting")
  func colors() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    var loss = TrainingFixture.weights
    loss.colorWeight = 5
    var task = StyleTraining.Task(
      settings: fixture.settings(iterations: 40), painting: fixture.painting,
      contents: fixture.contents)
    task.folder = StyleTrainingFolder(fixture.folder.appendingPathComponent("files"))
    let training = try StyleTraining(
      task, features: try FeatureNetwork(SmallFeatures().model(), name: "small"), weights: loss,
      architecture: TrainingFixture.architecture)
    try training.run()
    let color: [Double] = training.losses.map(\.color)
    #expect(color[0] > 0)
    #expect(color.suffix(5).max() ?? 1 < 0.5 * color[0], "\(color)")
    #expect(try #require(task.folder).readLosses() == training.losses)
  }

  @Test("Losses of a table without a column for colours are read")
  func oldTable() {
    let row = StyleLosses(row: "3,1.5,0.5,0.25,0.125,0.625,0.001")
    #expect(
      row
        == StyleLosses(
          iteration: 3, total: 1.5, content: 0.5, style: 0.25, smoothness: 0.125, stability: 0.625,
          learningRate: 0.001))
    #expect(StyleLosses(row: "3,1.5,0.5,0.25,0.125,0.625,0.001,0.75")?.color == 0.75)
    #expect(StyleLosses(row: "3,1.5,0.5,0.25,0.125,0.625") == nil)
  }

  @Test("A training does not continue with the parameters of another network")
  func otherNetwork() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let settings = fixture.settings(iterations: 2)
    let before = TrainingFixture.architecture(.none)
    try fixture.training(settings, files: "files", architecture: before).run()
    let error = #expect(throws: StyleTransferError.self) {
      try fixture.training(settings, files: "files", .resumed)
    }
    #expect(error?.message.contains("another version of Atelier wrote it") == true)
  }

  @Test("A damaged checkpoint is refused")
  func damage() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    try fixture.training(fixture.settings(iterations: 2), files: "files").run()
    let file = StyleTrainingFolder(fixture.folder.appendingPathComponent("files")).checkpoint
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file)
    let error = #expect(throws: StyleTransferError.self) {
      try fixture.training(fixture.settings(iterations: 2), files: "files", .resumed)
    }
    #expect(error?.message.contains("is damaged") == true)
  }

  @Test("The video network is trained for temporal stability")
  func stability() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let training = try fixture.training(fixture.settings(.cnnLite, iterations: 2))
    try training.run()
    #expect(training.losses.allSatisfy { $0.stability > 0 })
  }

  @Test("A snapshot is a model with a stylised validation image")
  func snapshots() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    var task = StyleTraining.Task(
      settings: fixture.settings(iterations: 2), painting: fixture.painting,
      contents: fixture.contents)
    let folder = StyleTrainingFolder(fixture.folder.appendingPathComponent("files"))
    task.folder = folder
    task.validation = fixture.contents.appendingPathComponent("photo1.png")
    task.snapshotInterval = 2
    task.initialName = "other.mlmodel"
    let training = try StyleTraining(
      task, features: try FeatureNetwork(SmallFeatures().model(), name: "small"),
      weights: TrainingFixture.weights, architecture: TrainingFixture.architecture)
    try training.run()
    #expect(FileManager.default.fileExists(atPath: folder.snapshotModel(2).path))
    let painted = try Picture(contentsOf: folder.snapshotPicture(2))
    #expect(painted.width == 75 && painted.height == 60)
    let settings = try TrainingRecord(folder: folder.url).settings
    #expect(settings["initial"] == .text("other.mlmodel") && settings["seed"] != nil)
  }
}

@Suite("Content images")
struct ContentPictureTests {
  @Test("An image depends only on its number and the seed")
  func counting() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let one = try ContentPictures(folder: fixture.contents)
    let other = try ContentPictures(folder: fixture.contents, cacheLimit: 0)
    let forwards: [Picture] = try (0..<8).map { try one.sample($0, side: 32, seed: 3) }
    let backwards: [Picture] = try (0..<8).reversed().map {
      try other.sample($0, side: 32, seed: 3)
    }
    #expect(forwards == backwards.reversed())
    #expect(try one.sample(0, side: 32, seed: 4) != forwards[0])
  }

  @Test("A third of the images are overexposed or underexposed")
  func exposure() throws {
    var generator = SplitMix64(seed: 5)
    let exposures: [Exposure] = (0..<3000).compactMap { _ in Exposure(oneOf: 3, &generator) }
    #expect((900...1100).contains(exposures.count))
    let whites = exposures.filter { $0(210) == 255 && $0(0) == 0 }
    let blacks = exposures.filter { $0(50) == 0 && $0(255) > 254.9 }
    #expect((400...600).contains(whites.count) && (400...600).contains(blacks.count))
    #expect(Exposure.over(128)(64) == 127.5 && Exposure.under(155)(205) == 127.5)
  }

  @Test("One of 20 images is overexposed or underexposed if the recipe says so, or none")
  func rareExposure() {
    var generator = SplitMix64(seed: 6)
    let exposures: [Exposure] = (0..<10_000).compactMap { _ in Exposure(oneOf: 20, &generator) }
    #expect((400...600).contains(exposures.count))
    #expect((0..<1000).allSatisfy { _ in Exposure(oneOf: 0, &generator) == nil })
  }

  @Test("A whole photo fills its shorter side, and its position along the longer side varies")
  func wholePhotos() throws {
    var generator = SplitMix64(seed: 9)
    let selection = PhotoSelection(crop: .whole, photosPerExposure: 0)
    let wide = (0..<2000).map { _ in
      RandomCrop(width: 90, height: 60, selection, &generator)
    }
    #expect(wide.allSatisfy { $0.side == 60 && $0.y == 0 && $0.exposure == nil })
    #expect(Set(wide.map(\.x)).count == 31)
    #expect((900...1100).contains(wide.count { $0.isMirrored }))

    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let contents = try ContentPictures(folder: fixture.contents, selection: selection)
    let painted = try contents.sample(0, side: 60, seed: 1)
    let photo = try Picture(contentsOf: contents.files[contents.position(of: 0, round: 0, seed: 1)])
    var draw = SplitMix64(counting: 0, seed: 1)
    let crop = RandomCrop(width: photo.width, height: photo.height, selection, &draw)
    let part = try photo.cropped(x: crop.x, y: 0, width: 60, height: 60)
    #expect(try painted == (crop.isMirrored ? part.mirrored() : part))
  }

  @Test("A file that is not an image is skipped")
  func unreadable() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    try Data("no picture".utf8).write(
      to: fixture.contents.appendingPathComponent("photo2.png"))
    let contents = try ContentPictures(folder: fixture.contents)
    for index in 0..<10 { _ = try contents.sample(index, side: 32, seed: 1) }
  }

  @Test("A folder without photos is refused with a message")
  func empty() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: StyleTransferError.self) { try ContentPictures(folder: folder) }
    #expect(error?.message.contains("contains no photos") == true)
  }
}

@Suite("Advice")
struct StyleAdviceTests {
  private func rows(_ content: (Int) -> Double, _ style: (Int) -> Double) -> [StyleLosses] {
    (1...100).map { step in
      StyleLosses(
        iteration: step, total: content(step) + style(step), content: content(step),
        style: style(step), learningRate: 1e-3)
    }
  }

  private func advice(_ rows: [StyleLosses], strength: Int = 5) -> [String] {
    StyleAdvice.after(
      rows, settings: StyleTrainingSettings(strength: strength), contentOfGrey: 0.28)
  }

  @Test("A small painting and few photos give advice before the training")
  func before() {
    let advice = StyleAdvice.before(
      paintingWidth: 500, paintingHeight: 700, contents: 3, settings: StyleTrainingSettings())
    #expect(advice.count == 2)
    #expect(advice[0].contains("500 × 700") && advice[1].contains("3 content pictures"))
  }

  @Test("A successful training gives no advice")
  func good() {
    let rows = rows({ 0.5 - 0.003 * Double($0) }, { 1 / Double($0) })
    #expect(advice(rows).isEmpty)
  }

  @Test("A strength that preserves nothing of the photos gives advice")
  func strong() {
    let rows = rows({ _ in 0.5 }, { 8 / Double($0) })
    let advice = self.advice(rows, strength: 9)
    #expect(advice.count == 1 && advice[0].contains("Lower the strength (9)"))
  }

  @Test(
    "A painting that is hardly learned gives advice, wherever the training began",
    arguments: [0.45, 1])
  func weak(start: Double) {
    let rows = rows({ _ in 0.1 }, { $0 < 10 ? start : 0.45 })
    let advice = self.advice(rows)
    #expect(advice.count == 1 && advice[0].contains("45 % of that of a blank picture"))
  }

  @Test("A training that continues from a good network gives no advice")
  func continued() {
    let rows = rows({ _ in 0.1 }, { _ in 0.1 })
    #expect(advice(rows).isEmpty)
  }

  @Test("Losses that increase at the end give advice")
  func diverging() {
    let rows = rows({ $0 > 90 ? 0.4 : 0.2 }, { $0 < 4 ? 1 : $0 > 90 ? 0.4 : 0.1 })
    let advice = self.advice(rows)
    #expect(advice.contains { $0.contains("they diverge") })
  }
}
