import CoreML
import CreateML
import Foundation
import Imaging
import ModelTools
import Testing

/// Tests photo classifiers that are trained on a few photos of each class.
@Suite(.enabled(if: FeaturePrint.isAvailable && Photos.areAvailable), .serialized)
struct ImageClassifierTests {
  /// The photos that Expected/photo_classes.py selected, and the results of scikit-learn for these photos.
  private struct Expected: Decodable {
    let learn: [String: [String]]
    let judge: [String: [String]]
    let count: Int
    let right1: Int
  }

  private func expected() throws -> Expected {
    let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("Expected/photo_classes.json")
    return try JSONDecoder().decode(Expected.self, from: Data(contentsOf: file))
  }

  private func source(_ names: [String: [String]]) -> MLImageClassifier.DataSource {
    .filesByLabel(
      names.mapValues { files in files.map { Photos.folder.appendingPathComponent($0) } })
  }

  private func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("ImageClassifierTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  @Test("60 photos of three classes train as accurate a classifier as scikit-learn's")
  func accuracy() throws {
    let expected = try expected()
    let classifier = try MLImageClassifier(
      trainingData: source(expected.learn),
      parameters: .init(validation: .dataSource(source(expected.judge))))
    let metrics: MLClassifierMetrics = classifier.validationMetrics
    let right: Int = Int(
      (Double(metrics.exampleCount) * (1 - metrics.classificationError)).rounded())
    print("\(right) of \(metrics.exampleCount) correct, scikit-learn \(expected.right1)")
    #expect(metrics.exampleCount == expected.count)
    #expect(right >= expected.right1)
    #expect(classifier.trainingMetrics.classificationError < 0.05)
    #expect(metrics.labels.sorted() == ["animal", "building", "nature"])
  }

  @Test("The written model gives the classifier's answers, and can be updated on the device")
  func writing() throws {
    let expected = try expected()
    try withFolder { folder in
      let some = expected.learn.mapValues { Array($0.prefix(6)) }
      let classifier = try MLImageClassifier(
        trainingData: source(some), parameters: .init(validation: .none))
      #expect(!classifier.validationMetrics.isValid)
      let url: URL = folder.appendingPathComponent("Photos.mlmodel")
      try classifier.write(to: url, metadata: MLModelMetadata(author: "somebody"))
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      let model = try MLModel(contentsOf: url, configuration: configuration)
      #expect(model.modelDescription.isUpdatable)
      #expect(model.modelDescription.metadata[.author] as? String == "somebody")
      let files: [URL] = expected.judge.values.joined().sorted().prefix(6)
        .map { Photos.folder.appendingPathComponent($0) }
      for (file, label) in zip(files, try classifier.predictions(from: files)) {
        #expect(try answer(model, file) == label)
      }
      // An update of the classifier continues from the trained state.
      let examples: [any MLFeatureProvider] = try files.map { file in
        try MLDictionaryFeatureProvider(
          dictionary: ["image": input(model, file), "classLabel": "animal"])
      }
      let done = DispatchSemaphore(value: 0)
      let updated: URL = folder.appendingPathComponent("More.mlmodel")
      let task = try MLUpdateTask(
        forModelAt: url, trainingData: MLArrayBatchProvider(array: examples),
        configuration: configuration
      ) { context in
        try? context.model.write(to: updated)
        done.signal()
      }
      task.resume()
      done.wait()
      let more = try MLModel(contentsOf: updated, configuration: configuration)
      #expect(try files.allSatisfy { try answer(more, $0) == "animal" })
    }
  }

  @Test("A nearest-neighbour vote can replace the weights")
  func neighbors() throws {
    let expected = try expected()
    let some = expected.learn.mapValues { Array($0.prefix(8)) }
    let classifier = try MLImageClassifier(
      trainingData: source(some),
      parameters: .init(
        validation: .none,
        algorithm: .transferLearning(classifier: .nearestNeighbors(count: 3))))
    #expect(classifier.trainingMetrics.classificationError == 0)
    let metrics = classifier.evaluation(
      on: source(expected.judge.mapValues { Array($0.prefix(8)) }))
    #expect(metrics.exampleCount == 24 && metrics.classificationError < 0.4)
  }

  @Test("Photos are split by label, identically for a seed and without duplicates")
  func splitting() throws {
    let all = source(try expected().learn)
    let parts = try all.stratifiedSplit(proportions: [0.75, 0.25], seed: 4)
    let (first, second) = (try parts[0].labeledImages(), try parts[1].labeledImages())
    #expect(
      first.values.allSatisfy { $0.count == 15 } && second.values.allSatisfy { $0.count == 5 })
    for (label, files) in second { #expect(Set(files).isDisjoint(with: first[label] ?? [])) }
    let again = try all.stratifiedSplit(proportions: [0.75, 0.25], seed: 4)
    #expect(try again[1].labeledImages() == second)
    #expect(throws: MLCreateError.self) {
      try all.stratifiedSplit(proportions: [0.8, 0.4], seed: 1)
    }
  }

  @Test("Invalid training data is refused with a message")
  func refusals() throws {
    try withFolder { folder in
      let empty: MLCreateError? = #expect(throws: MLCreateError.self) {
        try MLImageClassifier(trainingData: .labeledDirectories(at: folder))
      }
      #expect(empty?.description.contains("There are no photos in") == true)
      let one: MLCreateError? = #expect(throws: MLCreateError.self) {
        try MLImageClassifier(
          trainingData: source(["cat": ["skimage-chelsea.png"]]))
      }
      #expect(one?.description == "The photos have 1 label, expected two or more.")
    }
  }

  private func input(_ model: MLModel, _ file: URL) throws -> MLFeatureValue {
    let constraint = try #require(
      model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint)
    return try MLFeatureValue(imageAt: file, constraint: constraint, options: [:])
  }

  private func answer(_ model: MLModel, _ file: URL) throws -> String? {
    let photo = try Picture(contentsOf: file).withoutAlpha
    let buffer = try photo.pixelBuffer(
      format: kCVPixelFormatType_32BGRA, fittedToWidth: 227, height: 227, mode: .centerCrop)
    let input = try MLDictionaryFeatureProvider(
      dictionary: ["image": MLFeatureValue(pixelBuffer: buffer)])
    return try model.prediction(from: input).featureValue(for: "classLabel")?.stringValue
  }
}

/// Photos that are not part of the project.
private enum Photos {
  static let folder: URL = {
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let shared: URL =
      ProcessInfo.processInfo.environment["ATELIER_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? root.deletingLastPathComponent().appendingPathComponent("shared")
    return shared.appendingPathComponent("pictures/photos")
  }()

  static var areAvailable: Bool { FileManager.default.fileExists(atPath: folder.path) }
}
