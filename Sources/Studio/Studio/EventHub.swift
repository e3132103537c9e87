import Foundation
import Platform
import Service

/// Sends events to the pages as JSON, through one WebSocket per page.
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

  /// Serves a page until it disconnects.
  func serve(_ socket: WebSocket, client: String) {
    listeners.withLock { $0.append(Listener(client: client, socket: socket)) }
    // Pages send messages only to keep the connection alive, so their content is ignored.
    while socket.receive() != nil {}
    listeners.withLock { $0.removeAll { $0.socket === socket } }
  }

  /// Sends an event to the pages of a client, or to all pages if `client` is nil.
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
      // A page that does not read its socket is disconnected. The page then reconnects and asks for the current state.
      for socket in sockets where !socket.send(text) { socket.close() }
    }
  }
}
