import Foundation
import Platform

/// A cache of bytes: a least-recently-used (LRU) cache with a size limit.
final class DataCache: Sendable {
  private struct Store {
    var values: [(key: String, data: Data)] = []
    var bytes = 0
  }

  private let mostBytes: Int
  private let store = Locked(Store())

  /// Creates an empty cache for `mostBytes` bytes in total.
  init(mostBytes: Int) { self.mostBytes = mostBytes }

  /// Returns the bytes under a key, or nil if they are not in the cache.
  func value(_ key: String) -> Data? {
    store.withLock { store in
      guard let position = store.values.firstIndex(where: { $0.key == key }) else { return nil }
      store.values.append(store.values.remove(at: position))
      return store.values.last?.data
    }
  }

  /// Stores bytes under a key. Removes the least recently used entries while the cache exceeds the limit.
  func keep(_ data: Data, _ key: String) {
    store.withLock { store in
      store.bytes +=
        data.count - store.values.filter { $0.key == key }.reduce(0) { $0 + $1.data.count }
      store.values.removeAll { $0.key == key }
      store.values.append((key, data))
      while store.bytes > mostBytes, !store.values.isEmpty {
        store.bytes -= store.values.removeFirst().data.count
      }
    }
  }
}
