import CoreML
import Foundation
import Glibc
import Platform

/// A cache of open models. If too many models are open, the cache closes the least recently used one. If a model's file
/// was replaced, the cache opens the new file.
final class OpenModels: Sendable {
  /// The file and the options of an open model.
  private struct Key: Hashable {
    let file: URL
    let units: MLComputeUnits
    /// Whether the model was opened with `allowsAnyInputSize`.
    let anySize: Bool
    /// Identifies the version of the file: inode, size in bytes, and time of the last change in seconds and
    /// nanoseconds.
    let version: [Int]
  }

  private struct Opened {
    let key: Key
    let model: MLModel
    var used: ContinuousClock.Instant
  }

  private let most: Int
  private let threads: Int?
  private let opened = Locked<[Opened]>([])

  /// - Parameters:
  ///   - most: The maximum number of open models.
  ///   - threads: The number of threads of each model. Nil for the number of cores.
  init(most: Int, threads: Int? = nil) {
    self.most = most
    self.threads = threads
  }

  /// Returns the model of a file. Opens the model, unless it is open already.
  func model(_ file: URL, units: MLComputeUnits, anySize: Bool = false) throws -> MLModel {
    let key = Key(
      file: file, units: units, anySize: anySize, version: try Self.version(of: file))
    let known = opened.withLock { all -> MLModel? in
      guard let position = all.firstIndex(where: { $0.key == key }) else { return nil }
      all.append(all.remove(at: position))
      all[all.count - 1].used = .now
      return all.last?.model
    }
    if let known { return known }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    configuration.allowsAnyInputSize = anySize
    configuration.threadCount = threads
    let model = try MLModel(contentsOf: file, configuration: configuration)
    let gone = opened.withLock { all -> [Opened] in
      all.append(Opened(key: key, model: model, used: .now))
      let left = max(0, all.count - most)
      defer { all.removeFirst(left) }
      return Array(all.prefix(left))
    }
    withExtendedLifetime(gone) {}
    return model
  }

  /// Closes all models that were opened from a file.
  func forget(_ file: URL) { close { $0.key.file == file } }

  /// Closes the models that were unused for at least this duration. Returns true if it closed any.
  @discardableResult
  func close(unusedFor time: Duration) -> Bool {
    let now = ContinuousClock.now
    return close { now - $0.used >= time }
  }

  /// How many models are open.
  var count: Int { opened.withLock { $0.count } }

  private static func version(of file: URL) throws -> [Int] {
    var state = stat()
    guard stat(file.path, &state) == 0 else {
      throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file.path])
    }
    return [
      Int(state.st_ino), Int(state.st_size), state.st_mtim.tv_sec, state.st_mtim.tv_nsec,
    ]
  }

  @discardableResult
  private func close(_ isMeant: (Opened) -> Bool) -> Bool {
    // The models are removed from the cache under the lock. They are released after the lock is released, because
    // closing a model takes time.
    let gone = opened.withLock { all -> [Opened] in
      let gone = all.filter(isMeant)
      all.removeAll(where: isMeant)
      return gone
    }
    return !gone.isEmpty
  }
}
