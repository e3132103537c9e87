import Engine
import Foundation
import Imaging
import Testing

@testable import StyleTransfer

@Suite("Training a style")
struct StyleTrainingTests {
  @Test("The loss of the style falls")
  func lossFalls() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let training = try fixture.training(fixture.settings(iterations: 40))
    #expect(try training.run())
    let style: [Double] = training.losses.map(\.style)
    #expect(style.count == 40)
    #expect(style.suffix(5).max() ?? 1 < 0.7 * style[0], "\(style)")
  }

  @Test("Stopped and gone on with, a training ends with the same weights bit for bit")
  func resumes() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let whole = try fixture.training(fixture.settings(), files: "whole")
    try whole.run()
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
    #expect(second.network.values == whole.network.values)
    #expect(second.losses == whole.losses)
  }

  @Test("Killed between checkpoints, a training goes on from the last one")
  func survivesKills() throws {
    struct Kill: Error {}
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let whole = try fixture.training(fixture.settings())
    try whole.run()
    for limit in [3, 5] {
      let part = try fixture.training(fixture.settings(), files: "parts", .resumed)
      #expect(throws: Kill.self) {
        try part.run(report: { if $0.losses.iteration == limit { throw Kill() } })
      }
    }
    let last = try fixture.training(fixture.settings(), files: "parts", .resumed)
    #expect(last.iteration == 4)
    try last.run()
    #expect(last.network.values == whole.network.values)
    let folder = StyleTrainingFolder(fixture.folder.appendingPathComponent("parts"))
    #expect(folder.readLosses().map(\.iteration) == Array(1...6))
    #expect(try String(contentsOf: folder.curve, encoding: .utf8).contains("</svg>"))
  }

  @Test("A training is not written over unless it is asked for")
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
    #expect(error?.message.contains("holds a training already") == true)
    #expect(try Data(contentsOf: folder.checkpoint) == before)

    let note = folder.url.appendingPathComponent("notes.txt")
    try Data("mine".utf8).write(to: note)
    let over = try fixture.training(settings, files: "files", .over)
    #expect(over.iteration == 0 && over.losses.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.checkpoint.path))
    #expect(FileManager.default.fileExists(atPath: note.path))
  }

  @Test("Two trainings do not write into one folder at the same time")
  func locked() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let settings = fixture.settings(iterations: 2)
    let first = try fixture.training(settings, files: "files")
    for beginning in [StyleTraining.Beginning.new, .resumed, .over] {
      let error = #expect(throws: StyleTransferError.self) {
        try fixture.training(settings, files: "files", beginning)
      }
      #expect(error?.message.contains("Another training writes into") == true)
    }
    try first.run()
    let folder = StyleTrainingFolder(fixture.folder.appendingPathComponent("files"))
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/lock"))
    #expect(try fixture.training(settings, files: "files", .resumed).isFinished)
  }

  @Test("A training does not go on with another strength")
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

  @Test("A training does not go on with the parameters of another network")
  func otherNetwork() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let settings = fixture.settings(iterations: 2)
    let before = TrainingFixture.architecture(hasShortcuts: false)
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

  @Test("The network for video is trained to stay stable")
  func stability() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let training = try fixture.training(fixture.settings(.cnnLite, iterations: 2))
    try training.run()
    #expect(training.losses.allSatisfy { $0.stability > 0 })
  }

  @Test("A snapshot is a model, with the validation picture painted by it")
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

@Suite("Content pictures")
struct ContentPictureTests {
  @Test("A picture depends on its number and the seed alone")
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

  @Test("A third of the pictures burn out or drown")
  func exposure() throws {
    var generator = SampleGenerator(seed: 5)
    let exposures: [Exposure] = (0..<3000).compactMap { _ in Exposure(&generator) }
    #expect((900...1100).contains(exposures.count))
    let whites = exposures.filter { $0(210) == 255 && $0(0) == 0 }
    let blacks = exposures.filter { $0(50) == 0 && $0(255) > 254.9 }
    #expect((400...600).contains(whites.count) && (400...600).contains(blacks.count))
    #expect(Exposure.over(128)(64) == 127.5 && Exposure.under(155)(205) == 127.5)
  }

  @Test("A file that is no picture is passed over")
  func unreadable() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    try Data("no picture".utf8).write(
      to: fixture.contents.appendingPathComponent("photo2.png"))
    let contents = try ContentPictures(folder: fixture.contents)
    for index in 0..<10 { _ = try contents.sample(index, side: 32, seed: 1) }
  }

  @Test("A folder without photos is refused in words")
  func empty() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: StyleTransferError.self) { try ContentPictures(folder: folder) }
    #expect(error?.message.contains("has no photos in it") == true)
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

  @Test("A small painting and few photos are told before the training")
  func before() {
    let advice = StyleAdvice.before(
      paintingWidth: 500, paintingHeight: 700, contents: 3, settings: StyleTrainingSettings())
    #expect(advice.count == 2)
    #expect(advice[0].contains("500 × 700") && advice[1].contains("3 content pictures"))
  }

  @Test("A training that went well gets no advice")
  func good() {
    let rows = rows({ 0.5 - 0.003 * Double($0) }, { 1 / Double($0) })
    #expect(advice(rows).isEmpty)
  }

  @Test("A strength that keeps nothing of the photos is told")
  func strong() {
    let rows = rows({ _ in 0.5 }, { 8 / Double($0) })
    let advice = self.advice(rows, strength: 9)
    #expect(advice.count == 1 && advice[0].contains("Lower the strength (9)"))
  }

  @Test(
    "A painting that is hardly learned is told, wherever the training began", arguments: [0.45, 1])
  func weak(start: Double) {
    let rows = rows({ _ in 0.1 }, { $0 < 10 ? start : 0.45 })
    let advice = self.advice(rows)
    #expect(advice.count == 1 && advice[0].contains("45 % of a blank picture's"))
  }

  @Test("A training that goes on from a good network gets no advice")
  func continued() {
    let rows = rows({ _ in 0.1 }, { _ in 0.1 })
    #expect(advice(rows).isEmpty)
  }

  @Test("Losses that rise at the end are told")
  func diverging() {
    let rows = rows({ $0 > 90 ? 0.4 : 0.2 }, { $0 < 4 ? 1 : $0 > 90 ? 0.4 : 0.1 })
    let advice = self.advice(rows)
    #expect(advice.contains { $0.contains("they diverge") })
  }
}
