import CoreML
import Dispatch

/// The model that learns its owner's drawings: the bundled one at first, and then what it became.
///
/// It lies in the user's application support folder. Each lesson trains a copy, writes it beside the
/// model and lets it take the model's place in one step, so that the program may be killed at any
/// moment.
struct PersonalModel {
  private let personal: URL
  private let draft: URL

  /// Puts a copy of the bundled model into the application support folder, unless there is one.
  init(bundled: URL) throws {
    let manager = FileManager.default
    guard
      let folder = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    else { throw CocoaError(.fileNoSuchFile) }
    personal = folder.appendingPathComponent("personalized.mlmodelc")
    draft = folder.appendingPathComponent("personalized_tmp.mlmodelc")
    guard !manager.fileExists(atPath: personal.path) else { return }
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try manager.replaceItemAt(personal, withItemAt: try MLModel.compileModel(at: bundled))
  }

  /// The picture of a file as the model takes it.
  func drawing(_ file: URL) throws -> MLFeatureValue {
    guard let source = CGImageSourceCreateWithURL(file as CFURL, nil),
      let image = CGImageSourceCreateImageAtIndex(source, 0, nil),
      let constraint = try UpdatableDrawingClassifier(contentsOf: personal).imageConstraint
    else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path]) }
    return try MLFeatureValue(cgImage: image, constraint: constraint)
  }

  /// What the drawing means.
  func meaning(of drawing: MLFeatureValue) throws -> String? {
    try UpdatableDrawingClassifier(contentsOf: personal).label(of: drawing)
  }

  /// Teaches the model drawings of an emoji, and saves it.
  func teach(_ emoji: String, _ drawings: [MLFeatureValue]) throws {
    let examples: [any MLFeatureProvider] = try drawings.map { drawing in
      try MLDictionaryFeatureProvider(
        dictionary: ["drawing": drawing, "label": MLFeatureValue(string: emoji)])
    }
    let lesson = Lesson()
    let done = DispatchSemaphore(value: 0)
    let task = try MLUpdateTask(
      forModelAt: personal, trainingData: MLArrayBatchProvider(array: examples),
      configuration: nil,
      completionHandler: { [self] context in
        lesson.outcome = Result { try save(context) }
        done.signal()
      })
    task.resume()
    done.wait()
    try lesson.outcome?.get()
  }

  /// As the tutorial saves: into a folder of another name, which then takes the model's place.
  private func save(_ context: MLUpdateContext) throws {
    if let error = context.task.error { throw error }
    let manager = FileManager.default
    try manager.createDirectory(at: draft, withIntermediateDirectories: true, attributes: nil)
    try context.model.write(to: draft)
    _ = try manager.replaceItemAt(personal, withItemAt: draft)
  }

  private final class Lesson: @unchecked Sendable {
    // `@unchecked Sendable`: the semaphore stands between writing and reading.
    var outcome: Result<Void, any Error>?
  }
}
