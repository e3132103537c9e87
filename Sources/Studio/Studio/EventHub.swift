import Foundation
import Platform
import Service

/// Tells the pages what happens: one WebSocket for each page, events in JSON.
final class EventHub: Sendable {
  private struct Listener {
    let client: String
    let socket: WebSocket
  }

  private struct Event<Value: Encodable>: Encodable {
    let type: String
    let value: Value
  }

  private let listeners = Locked<[Listener]>([])
  private let queue = DispatchQueue(label: "studio events")

  /// Serves a page until it goes.
  func serve(_ socket: WebSocket, client: String) {
    listeners.withLock { $0.append(Listener(client: client, socket: socket)) }
    // Pages send a sign of life now and then; what they say does not matter.
    while socket.receive() != nil {}
    listeners.withLock { $0.removeAll { $0.socket === socket } }
  }

  /// Sends an event to the pages of a client, or to all.
  func send(_ kind: String, _ value: some Encodable & Sendable, to client: String? = nil) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(Event(type: kind, value: value)) else { return }
    let text = String(decoding: data, as: UTF8.self)
    let sockets = listeners.withLock { all in
      all.filter { client == nil || $0.client == client }.map(\.socket)
    }
    guard !sockets.isEmpty else { return }
    queue.async {
      // A page that takes nothing is left; it asks again when it is back.
      for socket in sockets where !socket.send(text) { socket.close() }
    }
  }
}
