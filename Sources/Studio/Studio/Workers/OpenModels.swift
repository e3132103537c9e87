import CoreML
import Foundation
import Glibc
import Platform

/// Models that are open: a few, those that were used last. What nobody has used for a while is closed; a
/// file that was replaced is opened anew.
final class OpenModels: Sendable {
  /// What is opened, and how.
  private struct Key: Hashable {
    let file: URL
    let units: MLComputeUnits
    let anySize: Bool
    /// Which file it is that lies there, and as of when.
    let version: [Int]
  }

  private struct Opened {
    let key: Key
    let model: MLModel
    var used: ContinuousClock.Instant
  }

  private let most: Int
  private let opened = Locked<[Opened]>([])

  /// - Parameter most: how many stay open.
  init(most: Int) { self.most = most }

  /// Opens a model, or finds it open.
  func model(_ file: URL, units: MLComputeUnits, anySize: Bool = false) throws -> MLModel {
    let key = Key(
      file: file, units: units, anySize: anySize, version: try Self.version(of: file))
    let known = opened.withLock { all -> MLModel? in
      guard let place = all.firstIndex(where: { $0.key == key }) else { return nil }
      all.append(all.remove(at: place))
      all[all.count - 1].used = .now
      return all.last?.model
    }
    if let known { return known }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    configuration.allowsAnyInputSize = anySize
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

  /// Closes what is open of a file.
  func forget(_ file: URL) { close { $0.key.file == file } }

  /// Closes what nobody has used for so long; true where there was such a model.
  @discardableResult
  func close(unusedFor time: Duration) -> Bool {
    let now = ContinuousClock.now
    return close { now - $0.used >= time }
  }

  /// How many are open.
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
    // Their memory is given back outside of the lock.
    let gone = opened.withLock { all -> [Opened] in
      let gone = all.filter(isMeant)
      all.removeAll(where: isMeant)
      return gone
    }
    return !gone.isEmpty
  }
}
