import Foundation
import Service

/// The studio: a server with its pages and its interface.
public final class StudioServer: Sendable {
  /// How it was opened.
  public let options: StudioOptions
  let studio: Studio
  private let server: HTTPServer

  /// A studio that is not listening yet.
  public init(_ options: StudioOptions = StudioOptions()) throws {
    self.options = options
    let studio = try Studio(options)
    let router = studio.router()
    var listening = HTTPServer.Options()
    listening.address = options.address
    listening.port = options.port
    listening.token = options.token
    listening.publicAddress = options.publicAddress
    listening.bodyBytes = options.waitingBytes
    server = HTTPServer(listening, limit: { router.limit($0) }) { request in
      do {
        if let page = studio.pages.answer(request.head) { return page }
        return try await router.answer(request)
      } catch {
        return httpError(of: error).response
      }
    }
    self.studio = studio
  }

  /// Begins to listen.
  public func start() throws {
    try server.start()
    studio.counts.set { [server] in (server.counts, server.connectionCount) }
    studio.begin()
  }

  /// The port that is listened on.
  public var port: UInt16 { server.port }

  /// The address to open in a browser, with the token where there is one.
  public var url: String {
    let token: String = options.token.map { "?token=\($0)" } ?? ""
    if let address = options.publicAddress { return "\(address.origin)/" + token }
    let host = options.address.contains(":") ? "[\(options.address)]" : options.address
    let name = options.address == "0.0.0.0" || options.address == "::" ? "127.0.0.1" : host
    return "http://\(name):\(port)/" + token
  }

  /// Ends: trainings write their checkpoints, connections end, uploads are removed.
  public func stop() {
    studio.end()
    server.stop()
    studio.folder.empty()
  }
}
