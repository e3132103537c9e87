import Engine
import Foundation
import Imaging

@testable import StyleTransfer

/// A training small enough for tests: images of 32 pixels, networks of a few channels, and a stand-in for VGG-16.
struct TrainingFixture {
  let folder: URL
  let painting: URL
  let contents: URL

  /// A small network with the structure of the style networks.
  static let architecture: StyleArchitecture = architecture(.stagesAndPicture)

  static func architecture(_ shortcuts: StyleArchitecture.Shortcuts) -> StyleArchitecture {
    StyleArchitecture(
      margin: 4,
      encoding: [
        .init(kernel: 5, factor: 1, channels: 4), .init(kernel: 3, factor: 2, channels: 8),
      ],
      residualBlocks: 1, decoding: [.init(kernel: 3, factor: 2, channels: 4)],
      last: .init(kernel: 3, factor: 1, channels: 3), shortcuts: shortcuts)
  }

  /// Writes a painting of diagonal stripes and photos of coloured discs into a temporary folder.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "training-\(UUID().uuidString)", isDirectory: true)
    contents = folder.appendingPathComponent("photos", isDirectory: true)
    painting = folder.appendingPathComponent("stripes.png")
    try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
    try Self.picture(96, 80) { x, y in (x + y) / 6 % 2 == 0 ? (230, 180, 40) : (20, 40, 120) }
      .write(toFile: painting.path)
    for number in 0..<5 {
      try Self.picture(70 + 5 * number, 60) { x, y in
        let (dx, dy) = (x - 30, y - 25 - number)
        let isInside: Bool = dx * dx + dy * dy < 300
        return isInside ? (40 * number, 200, 90) : (x * 2, y * 3, 128)
      }.write(toFile: contents.appendingPathComponent("photo\(number).png").path)
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  static func picture(_ width: Int, _ height: Int, _ color: (Int, Int) -> (Int, Int, Int)) throws
    -> Picture
  {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let (red, green, blue) = color(x, y)
        pixels += [red, green, blue].map { UInt8(min(255, max(0, $0))) }
      }
    }
    return try Picture(width: width, height: height, pixels: pixels)
  }

  /// The loss on the stand-in's layers.
  static var weights: PerceptualLoss {
    var loss = PerceptualLoss()
    loss.content = [.init("relu2")]
    loss.style = [.init("relu1", weight: 0.5), .init("relu2", weight: 0.5)]
    loss.contentWeight = 1
    return loss
  }

  func settings(_ algorithm: StyleAlgorithm = .cnn, iterations: Int = 6) -> StyleTrainingSettings {
    StyleTrainingSettings(
      algorithm: algorithm, iterations: iterations, batchSize: 2, pictureSide: 32,
      texelDensity: 64, seed: 7, learningRate: 5e-3)
  }

  func training(
    _ settings: StyleTrainingSettings, files: String? = nil,
    _ beginning: StyleTraining.Beginning = .new,
    architecture: StyleArchitecture = Self.architecture
  ) throws -> StyleTraining {
    var task = StyleTraining.Task(settings: settings, painting: painting, contents: contents)
    task.folder = files.map { StyleTrainingFolder(folder.appendingPathComponent($0)) }
    task.checkpointInterval = 2
    return try StyleTraining(
      task, features: try FeatureNetwork(SmallFeatures().model(), name: "small"),
      beginning: beginning, weights: Self.weights, architecture: architecture)
  }
}
