import CoreML
import Foundation
import Synchronization

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

  static var areThere: Bool {
    FileManager.default.fileExists(atPath: drawings.path)
      && FileManager.default.fileExists(atPath: housing.path)
  }

  /// Calls the closure with an empty folder that is removed afterwards.
  static func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("UpdatingTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}

/// Something that the update's queue writes and the test reads when the update is done.
final class Noted<Value>: @unchecked Sendable {
  // `@unchecked Sendable`: the semaphore stands between the two.
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// A configuration that computes in float32.
func exactConfiguration() -> MLModelConfiguration {
  let configuration = MLModelConfiguration()
  configuration.computeUnits = .cpuOnly
  return configuration
}

/// The context with which an update ended.
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

/// The sentence of the error that `body` throws; nil when it throws none.
func sentence(of body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return error.localizedDescription
  }
}

/// Random numbers that Python makes as well: SplitMix64 by Steele, Lea and Flood (2014).
struct Generator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z: UInt64 = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// All numbers below `count` in random order.
  mutating func order(_ count: Int) -> [Int] {
    var places: [Int] = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) {
      places.swapAt(last, Int(next() % UInt64(last + 1)))
    }
    return places
  }

  /// A number between 0 and 1.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
