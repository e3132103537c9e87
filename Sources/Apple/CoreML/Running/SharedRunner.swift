import Engine
import Foundation
import ModelFormat
import Platform

/// The runner of a file that several models link to. The models share the weights, the packed weights and the plans.
final class SharedRunner: ModelRunner {
  private let runner: any ModelRunner

  fileprivate init(_ runner: any ModelRunner) { self.runner = runner }

  var threadCount: Int { runner.threadCount }

  func networkRunner() throws -> NetworkRunner? { try runner.networkRunner() }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    try runner.prediction(from: input, call: call)
  }
}

/// The runners of linked files that a model in this process uses. A runner is freed with its last model.
enum SharedRunners {
  private struct WeakRunner: Sendable {
    weak var runner: SharedRunner?
  }

  private static let known: Locked<[SharedRunnerKey: WeakRunner]> = Locked([:])

  /// Returns the runner of a file. Makes it if no model uses the file with the same settings, or if the file has changed
  /// since then.
  static func runner(
    of file: ModelFile, settings: RunnerSettings, make: () throws -> any ModelRunner
  ) throws -> any ModelRunner {
    guard let key = SharedRunnerKey(file, settings.identity) else { return try make() }
    if let shared = known.withLock({ $0[key]?.runner }) { return shared }
    // Without the lock, because the file may link to a further file.
    let fresh = SharedRunner(try make())
    return known.withLock { known in
      if let shared = known[key]?.runner { return shared }
      known = known.filter { $0.value.runner != nil }
      known[key] = WeakRunner(runner: fresh)
      return fresh
    }
  }
}

/// What must be equal for two models to share the runner of a file.
private struct SharedRunnerKey: Hashable {
  private let path: String
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  private let settings: RunnerSettings.Identity

  /// Nil for a model from memory, and for a file whose state cannot be read.
  init?(_ file: ModelFile, _ settings: RunnerSettings.Identity) {
    var status = stat()
    guard let url = file.specificationURL, stat(url.path, &status) == 0 else { return nil }
    path = url.path
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
    self.settings = settings
  }
}
