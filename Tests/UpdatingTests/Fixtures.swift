import CoreML
import Foundation
import Synchronization
import Tensors

/// Models and data that are not part of the project.
enum Fixtures {
  static let shared: URL = {
    if let path = ProcessInfo.processInfo.environment["ATELIER_SHARED"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return root.deletingLastPathComponent().appendingPathComponent("shared", isDirectory: true)
  }()

  static let drawings = shared.appendingPathComponent("models/updatable-drawing")
  static let housing = shared.appendingPathComponent("models/updatable-housing")

  static var areAvailable: Bool {
    FileManager.default.fileExists(atPath: drawings.path)
      && FileManager.default.fileExists(atPath: housing.path)
  }

  /// Calls the closure with an empty folder and removes the folder afterwards.
  static func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("UpdatingTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}

/// A value that the update's queue writes. The test reads it after the update.
final class Noted<Value>: @unchecked Sendable {
  // `@unchecked Sendable`: the semaphore ensures that the write happens before the read.
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Returns a configuration that computes in float32.
func exactConfiguration() -> MLModelConfiguration {
  let configuration = MLModelConfiguration()
  configuration.computeUnits = .cpuOnly
  return configuration
}

/// Updates a model and returns the context at the end of the update.
func update(
  _ model: URL, with examples: [[String: Any]], parameters: [MLParameterKey: Any]? = nil,
  events: MLUpdateProgressEvent = [], progress: ((MLUpdateContext) -> Void)? = nil
) throws -> MLUpdateContext {
  let batch = MLArrayBatchProvider(
    array: try examples.map { try MLDictionaryFeatureProvider(dictionary: $0) })
  let configuration: MLModelConfiguration = exactConfiguration()
  configuration.parameters = parameters
  let noted: Noted<MLUpdateContext?> = Noted(nil)
  let done = DispatchSemaphore(value: 0)
  let handlers = MLUpdateProgressHandlers(
    forEvents: events, progressHandler: progress,
    completionHandler: { context in
      noted.value = context
      done.signal()
    })
  let task = try MLUpdateTask(
    forModelAt: model, trainingData: batch, configuration: configuration,
    progressHandlers: handlers)
  task.resume()
  done.wait()
  return noted.value!
}

/// Returns the message of the error that `body` throws. Nil if it throws none.
func sentence(of body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return error.localizedDescription
  }
}

/// Random numbers that Python can reproduce.
extension SplitMix64 {
  /// Returns the numbers below `count` in random order.
  mutating func order(_ count: Int) -> [Int] {
    var numbers: [Int] = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) {
      numbers.swapAt(last, Int(next() % UInt64(last + 1)))
    }
    return numbers
  }

  /// Returns a number between 0 and 1.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
