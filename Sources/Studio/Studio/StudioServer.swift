import Foundation
import Service

/// The studio: a server for the pages and the HTTP interface.
public final class StudioServer: Sendable {
  /// The options.
  public let options: StudioOptions
  let studio: Studio
  private let server: HTTPServer

  /// Creates a studio. It does not listen before ``start()``.
  public init(_ options: StudioOptions = StudioOptions()) throws {
    self.options = options
    let studio = try Studio(options)
    let router = studio.router()
    var listening = HTTPServer.Options()
    listening.address = options.address
    listening.port = options.port
    listening.token = options.token
    listening.publicAddress = options.publicAddress
    listening.certificate = options.certificate
    listening.bodyBytes = options.waitingBytes
    server = HTTPServer(listening, limit: { router.limit($0) }) { request in
      do {
        if let page = studio.pages.answer(request.head) { return page }
        return try await router.answer(request)
      } catch {
        return httpError(of: error).response(
          target: request.head.path.first.map { "/\($0)/" } ?? "")
      }
    }
    self.studio = studio
  }

  /// Begins to listen on the port.
  public func start() throws {
    try server.start()
    studio.counts.set { [server] in (server.counts, server.connectionCount) }
    studio.begin()
  }

  /// The port on which the studio listens.
  public var port: UInt16 { server.port }

  /// The address to open in a browser, with the token if there is one.
  public var url: String {
    let token: String = options.token.map { "?token=\($0)" } ?? ""
    if let address = options.publicAddress { return "\(address.origin)/" + token }
    let host = options.address.contains(":") ? "[\(options.address)]" : options.address
    let name = options.address == "0.0.0.0" || options.address == "::" ? "127.0.0.1" : host
    return "\(scheme)://\(name):\(port)/" + token
  }

  private var scheme: String { options.certificate == nil ? "http" : "https" }

  /// The addresses that other machines can open, with the token. Empty if the studio listens on a loopback address, or
  /// if a proxy publishes it.
  public var urlsForOthers: [String] {
    guard options.publicAddress == nil, !AccessPolicy.isLoopback(options.address) else { return [] }
    let token: String = options.token.map { "?token=\($0)" } ?? ""
    let hosts =
      options.address == "0.0.0.0" || options.address == "::"
      ? NetworkAddresses.ofThisMachine : [options.address]
    return hosts.map {
      "\(scheme)://\($0.contains(":") ? "[\($0)]" : $0):\(port)/" + token
    }
  }

  /// Stops the studio: lets trainings write their checkpoints, answers all accepted requests, closes connections and
  /// removes uploads.
  ///
  /// - Returns: Whether all requests were answered within ``StudioOptions/grace``.
  @discardableResult
  public func stop() -> Bool {
    studio.pause()
    let isDone = server.drain(settling: 0, within: options.grace)
    studio.end()
    server.stop()
    studio.folder.empty()
    return isDone
  }
}
