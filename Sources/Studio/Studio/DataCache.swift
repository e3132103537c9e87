import Foundation
import Platform

/// Bytes that were made once and may be asked for again; the longest unused go first.
final class Keepsakes: Sendable {
  private struct Store {
    var values: [(key: String, data: Data)] = []
    var bytes = 0
  }

  private let mostBytes: Int
  private let store = Locked(Store())

  /// An empty store.
  init(mostBytes: Int) { self.mostBytes = mostBytes }

  /// What is kept under a key.
  func value(_ key: String) -> Data? {
    store.withLock { store in
      guard let place = store.values.firstIndex(where: { $0.key == key }) else { return nil }
      store.values.append(store.values.remove(at: place))
      return store.values.last?.data
    }
  }

  /// Keeps bytes.
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
