import CMicrohttpd
import Foundation
import Platform

/// An HTTP server. It passes requests within its limits to an asynchronous function, the handler, and sends the
/// handler's responses.
///
/// Before the server reads a body, it refuses a request that names another host, comes from a page of another site,
/// lacks the token, or has too long a body. If a client disconnects, the server cancels the task that handles the
/// client's request.
///
/// `@unchecked Sendable`: the server's handle is written once, before the first request.
public final class HTTPServer: @unchecked Sendable {
  /// The address and the limits of a server.
  public struct Options: Sendable {
    /// The IP address.
    public var address = "127.0.0.1"
    /// The port. 0 lets the system choose one.
    public var port: UInt16 = 0
    /// The token that every client must send. Nil if none is needed.
    public var token: String?
    /// The address at which a proxy publishes the server. Nil without a proxy.
    public var publicAddress: PublicAddress?
    /// The certificate for encrypted connections. Nil for connections without encryption.
    public var certificate: ServerCertificate?
    /// The maximum number of connections at once.
    public var connections = 200
    /// How long a connection may be idle, in seconds.
    public var idleSeconds = 60
    /// How long receiving a head may take, in seconds.
    public var headSeconds = 20
    /// How long receiving a body may take, in seconds. The server adds one second per 64 kB of the body.
    public var bodySeconds = 20
    /// The maximum number of bytes of a request's head.
    public var headBytes = 32768
    /// The maximum number of bytes in memory for all requests together. The number includes the bodies of requests that
    /// wait for their response, incoming WebSocket messages, and responses that are being sent.
    public var bodyBytes = 512 << 20
    /// The maximum number of WebSockets at once.
    public var sockets = 32
    /// The maximum number of bytes of a message on a WebSocket.
    public var messageBytes = 4 << 20
    /// Other host names under which clients reach the server: see ``AccessPolicy/hosts``.
    public var hosts: [String] = []
    /// The paths that need no token.
    public var openPaths: Set<[String]> = []
    /// Whether the server may be reached from other machines without a token.
    public var isOpen = false
    /// What messages call the server.
    public var noun = "studio"

    /// Creates the default options.
    public init() {}
  }

  /// The responses and refusals since the start, and the WebSockets and the reserved memory at present.
  public struct Counts: Sendable {
    /// How many requests got a response of each class of status. The key 2 is for the statuses 200, 204, ….
    public var answers: [Int: Int] = [:]
    /// The number of requests that were refused before their body was read.
    public var refused = 0
    /// The number of open WebSockets.
    public var sockets = 0
    /// The number of bytes that are reserved for bodies, messages and responses.
    public var bodyBytes = 0

    /// Creates counters at zero.
    public init() {}
  }

  /// Responds to a request.
  public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse
  /// Returns the maximum number of bytes of a request's body. The argument is the request's head.
  public typealias Limit = @Sendable (HTTPHead) -> Int

  /// The options.
  public let options: Options
  private let policy: AccessPolicy
  private let limit: Limit
  private let handler: Handler
  private let state = Locked(State())
  private let budget: MemoryBudget
  private var server: OpaquePointer?

  private struct State {
    var counts = Counts()
    var sockets: [ObjectIdentifier: WebSocket] = [:]
    /// Whether ``stop()`` was called. If so, no new request or WebSocket begins.
    var stops = false
    /// Whether ``drain(settling:within:)`` was called. If so, every response closes its connection.
    var drains = false
    /// The number of requests that have begun and whose responses are not completely sent.
    var openRequests = 0
  }

  /// A request that the server processes, and its response.
  private final class Exchange: Sendable {
    struct State {
      var head: HTTPHead?
      /// The memory that is reserved for the body. Nil after the server has begun to respond.
      var reservation: Reservation?
      /// The memory that is reserved for the response while it is sent.
      var responseReservation: Reservation?
      var task: Task<Void, Never>?
      /// Whether the client has disconnected before the response.
      var isLeft = false
      var socket: (@Sendable (WebSocket) -> Void)?
    }
    let state = Locked(State())
  }

  /// The C library's pointer to a request. The library's thread passes the pointer to a task, and the task passes it
  /// back.
  ///
  /// `@unchecked Sendable`: the library's functions that take this pointer are thread-safe.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// Creates a server that does not listen yet.
  public init(_ options: Options, limit: @escaping Limit, handler: @escaping Handler) {
    self.options = options
    self.limit = limit
    self.handler = handler
    budget = MemoryBudget(byteCount: options.bodyBytes)
    var policy = AccessPolicy(
      address: options.address, token: options.token, publicAddress: options.publicAddress,
      isEncrypted: options.certificate != nil, isOpen: options.isOpen)
    policy.hosts = options.hosts
    policy.openPaths = options.openPaths
    policy.noun = options.noun
    self.policy = policy
  }

  /// The port on which the server listens. It is 0 before ``start()``.
  public var port: UInt16 { server.map { hs_port($0) } ?? 0 }
  /// The current values of the counters.
  public var counts: Counts {
    var counts = state.withLock { $0.counts }
    counts.bodyBytes = budget.usedCount
    return counts
  }
  /// How many connections are open.
  public var connectionCount: Int { server.map { Int(hs_connections($0)) } ?? 0 }

  /// Begins to listen on the port.
  public func start() throws {
    var handlers = hs_handlers()
    handlers.context = Unmanaged.passUnretained(self).toOpaque()
    handlers.head = { context, exchange in HTTPServer.at(context).head(exchange) }
    handlers.complete = { context, exchange in HTTPServer.at(context).complete(exchange) }
    handlers.left = { context, exchange in HTTPServer.at(context).left(exchange) }
    handlers.over = { context, exchange in HTTPServer.at(context).over(exchange) }
    handlers.upgraded = { context, exchange, channel in
      HTTPServer.at(context).upgraded(exchange, channel)
    }
    server = options.address.withCString { address in
      var plain = hs_options()
      plain.address = address
      plain.port = options.port
      plain.connections = UInt32(options.connections)
      plain.idle_seconds = UInt32(options.idleSeconds)
      plain.head_seconds = UInt32(options.headSeconds)
      plain.body_seconds = UInt32(options.bodySeconds)
      plain.body_rate = 65536
      plain.head_bytes = options.headBytes
      guard let certificate = options.certificate else { return hs_start(&plain, &handlers) }
      // The file contains the key and the certificate, and the library finds each by its header.
      return certificate.text.withCString {
        plain.key_and_certificate = $0
        return hs_start(&plain, &handlers)
      }
    }
    guard server != nil else {
      guard errno != ENOTSUP else {
        throw HTTPError(
          500, "cannot_encrypt",
          "This libmicrohttpd cannot encrypt. Use a proxy that encrypts, with --public-url.")
      }
      let reason = String(cString: strerror(errno))
      throw HTTPError(
        500, "cannot_listen",
        "The \(options.noun) cannot listen on \(options.address), port \(options.port): \(reason). Choose"
          + " another with --port or --listen.")
    }
  }

  /// Whether ``drain(settling:within:)`` was called.
  public var isDraining: Bool { state.withLock { $0.drains } }

  /// Prepares ``stop()`` so that no accepted request is lost. Blocks the caller.
  ///
  /// For `settling` seconds, the server still accepts connections: load balancers need that time to notice that the
  /// server is not ready. Then it accepts no more connections, and waits until all responses are sent. Every response
  /// from the first moment on closes its connection. WebSockets stay open until ``stop()``.
  ///
  /// - Returns: Whether all responses were sent within the given seconds.
  public func drain(settling: Double, within seconds: Double) -> Bool {
    guard let server else { return true }
    let deadline = ContinuousClock.now + .seconds(settling + seconds)
    state.withLock { $0.drains = true }
    usleep(UInt32(settling * 1e6))
    hs_close_listener(server)
    // A client that connected just before may not have sent its request yet. So connections without a request stay open
    // for a second.
    let quiet = ContinuousClock.now + .seconds(1)
    while true {
      // A WebSocket counts as a request and as a connection until it closes.
      let (requests, sockets) = state.withLock { ($0.openRequests, $0.counts.sockets) }
      let isOpen = requests > sockets
      guard isOpen || (connectionCount > sockets && ContinuousClock.now < quiet) else { break }
      guard ContinuousClock.now < deadline else { return !isOpen }
      usleep(5000)
    }
    return true
  }

  /// Ends all connections and waits until they are closed.
  public func stop() {
    guard let server else { return }
    let open = state.withLock { state in
      state.stops = true
      return Array(state.sockets.values)
    }
    for socket in open { socket.close() }
    while state.withLock({ $0.counts.sockets > 0 }) { usleep(2000) }
    hs_stop(server)
    self.server = nil
  }

  // MARK: Callbacks of the library

  private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    guard let context else {
      preconditionFailure("the library passes the context that it was given")
    }
    return Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  }

  private func exchange(_ handle: OpaquePointer?) -> (OpaquePointer, Exchange)? {
    guard let handle, let note = hs_note(handle) else { return nil }
    return (handle, Unmanaged<Exchange>.fromOpaque(note).takeUnretainedValue())
  }

  private func head(_ handle: OpaquePointer?) -> Int64 {
    guard let handle else { return 0 }
    let exchange = Exchange()
    hs_set_note(handle, Unmanaged.passRetained(exchange).toOpaque())
    state.withLock { $0.openRequests += 1 }
    do {
      return try Int64(admit(handle, exchange))
    } catch {
      state.withLock { $0.counts.refused += 1 }
      let target = String(cString: hs_target(handle))
      respond(
        handle, exchange, (error as? HTTPError)?.response(target: target) ?? HTTPResponse(400),
        closes: true)
      return 0
    }
  }

  /// Decides from a request's head whether to read the body. Returns the length of the body, or throws the error to
  /// respond with.
  private func admit(_ handle: OpaquePointer, _ exchange: Exchange) throws -> Int {
    final class List { var headers: [(name: String, value: String)] = [] }
    let list = List()
    hs_each_header(handle, Unmanaged.passUnretained(list).toOpaque()) { context, name, value in
      guard let context, let name, let value else { return }
      Unmanaged<List>.fromOpaque(context).takeUnretainedValue()
        .headers.append((String(cString: name), String(cString: value)))
    }
    let headBytes: Int = list.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard headBytes <= options.headBytes else {
      throw HTTPError(
        431, "long_head",
        "The request's head has \(headBytes) bytes, but at most \(options.headBytes) are accepted.")
    }
    guard
      var head = HTTPHead(
        method: String(cString: hs_method(handle)), target: String(cString: hs_target(handle)),
        headers: list.headers, peer: String(cString: hs_peer(handle)))
    else { throw HTTPError(400, "bad_path", "The request's path cannot be read.") }
    head.client = policy.client(of: head)
    if policy.brings(head), head.method == "GET" {
      let isTrusted = policy.refusal(of: head, port: port).map { $0.status == 401 } ?? true
      if isTrusted { throw policy.welcome(head) }
    }
    if let refusal = policy.refusal(of: head, port: port) { throw refusal }
    guard !head.has("transfer-encoding") else {
      throw HTTPError(
        411, "length_required",
        "The request has no Content-Length. Send the length; chunked bodies are not accepted.")
    }
    let limit = self.limit(head)
    let count = head.has("content-length") ? Int(head.header("content-length") ?? "") : 0
    guard let count, count >= 0 else {
      throw HTTPError(400, "bad_length", "The Content-Length is not a number.")
    }
    guard count <= limit else {
      throw HTTPError(
        413, "too_large",
        limit == 0
          ? "This request takes no body, but its Content-Length is \(count)."
          : "The body has \(count) bytes, but at most \(limit) are accepted here.")
    }
    guard let reservation = budget.reserve(count) else { throw overloaded }
    let known: HTTPHead = head
    exchange.state.withLock {
      $0.head = known
      $0.reservation = reservation
    }
    return count
  }

  private var overloaded: HTTPError {
    HTTPError(
      503, "overloaded",
      "The \(options.noun) has no memory left for this request. Try again in a few seconds.",
      headers: [("Retry-After", "2")])
  }

  private func complete(_ handle: OpaquePointer?) {
    guard let (handle, exchange) = exchange(handle),
      case let (head?, reservation) = exchange.state.withLock({ ($0.head, $0.reservation) })
    else { return }
    var count = 0
    let bytes = hs_take_body(handle, &count)
    let body = bytes.map { Data(bytesNoCopy: $0, count: count, deallocator: .free) } ?? Data()
    let pending = Locked<HTTPRequest?>(
      HTTPRequest(head: head, body: body, reservation: reservation))
    hs_retain(handle)
    let sent = Handle(pointer: handle)
    let task = Task { [self] in
      let response = await answered(pending)
      answer(sent.pointer, exchange, head, response)
      hs_release(sent.pointer)
    }
    let isLeft = exchange.state.withLock { state in
      state.task = task
      return state.isLeft
    }
    if isLeft { task.cancel() }
  }

  /// Calls the handler and returns its response. Releases the request and the request's memory before the response is
  /// sent, unless the handler stores them.
  private func answered(_ pending: Locked<HTTPRequest?>) async -> HTTPResponse {
    let request: HTTPRequest? = pending.withLock { request in
      defer { request = nil }
      return request
    }
    guard let request else { return HTTPResponse(500) }
    return await handler(request)
  }

  private func answer(
    _ handle: OpaquePointer, _ exchange: Exchange, _ head: HTTPHead, _ response: HTTPResponse
  ) {
    guard let socket = response.socket else {
      return respond(handle, exchange, response, closes: false)
    }
    guard let key = WebSocketHandshake.accept(head) else {
      return respond(
        handle, exchange,
        HTTPError(426, "websocket_only", "This address accepts only WebSockets (version 13).")
          .response,
        closes: false)
    }
    let isAccepted = state.withLock { state in
      guard !state.stops, state.counts.sockets < options.sockets else { return false }
      state.counts.sockets += 1
      return true
    }
    guard isAccepted else {
      return respond(
        handle, exchange,
        HTTPError(
          503, "too_many_sockets", "\(options.sockets) WebSockets are open, which is the limit."
        ).response, closes: true)
    }
    exchange.state.withLock { $0.socket = socket }
    Self.withHeaders([
      ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", key),
    ]) { hs_upgrade(handle, $0, $1) }
  }

  private func left(_ handle: OpaquePointer?) {
    guard let (_, exchange) = exchange(handle) else { return }
    exchange.state.withLock { state in
      state.isLeft = true
      return state.task
    }?.cancel()
  }

  private func over(_ handle: OpaquePointer?) {
    guard let handle, let note = hs_note(handle) else { return }
    hs_set_note(handle, nil)
    let exchange = Unmanaged<Exchange>.fromOpaque(note).takeRetainedValue()
    // If the server has not responded, the reservation for the body ends here, unless a handler stores the body
    // together with the reservation.
    let (task, dangling) = exchange.state.withLock { state in
      defer {
        state.socket = nil
        state.reservation = nil
        state.responseReservation = nil
      }
      return (state.task, state.socket != nil)
    }
    task?.cancel()
    state.withLock { state in
      state.openRequests -= 1
      if dangling { state.counts.sockets -= 1 }
    }
  }

  private func upgraded(_ handle: OpaquePointer?, _ channel: OpaquePointer?) {
    guard let channel else { return }
    let run = exchange(handle)?.1.state.withLock { state in
      defer { state.socket = nil }
      return state.socket
    }
    let socket = WebSocket(
      channel: channel, longest: options.messageBytes, budget: budget)
    let key = ObjectIdentifier(socket)
    let mayRun = state.withLock { state in
      guard !state.stops else { return false }
      state.sockets[key] = socket
      return true
    }
    if mayRun { run?(socket) }
    socket.end()
    hs_channel_close(channel)
    state.withLock { state in
      state.sockets[key] = nil
      if run != nil { state.counts.sockets -= 1 }
    }
  }

  // MARK: Responding

  /// The headers of every response. They forbid browsers to guess the media type of the response, to show the response
  /// in a frame, to share it with other sites, and to load scripts and other content from other sites.
  private static let common: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:;"
        + " media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none';"
        + " form-action 'none'; frame-ancestors 'none'"
    ),
  ]

  /// For a response of at most this number of bytes, the server reserves no memory, because the response is small
  /// compared with the memory of a connection.
  private static let smallAnswer = 64 << 10

  private func respond(
    _ handle: OpaquePointer, _ exchange: Exchange, _ response: HTTPResponse, closes: Bool
  ) {
    var response = response
    exchange.state.withLock { $0.reservation = nil }
    if case .data(let data) = response.body, data.count > Self.smallAnswer {
      if let reservation = budget.reserve(data.count) {
        exchange.state.withLock { $0.responseReservation = reservation }
      } else {
        response = overloaded.response(target: String(cString: hs_target(handle)))
      }
    }
    let drains = state.withLock { state in
      state.counts.answers[response.status / 100, default: 0] += 1
      return state.drains
    }
    var headers = Self.common + response.headers
    if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
      headers.append(("Cache-Control", "no-store"))
    }
    if closes || drains { headers.append(("Connection", "close")) }
    Self.withHeaders(headers) { names, count in
      let status = UInt32(response.status)
      func send(_ file: OpenFile, _ range: Range<Int>) {
        let descriptor: Int32 = file.another()
        guard descriptor >= 0 else {
          return hs_respond(handle, 503, names, count, nil, 0, false)
        }
        hs_respond_file(
          handle, status, names, count, descriptor, UInt64(range.lowerBound), UInt64(range.count))
      }
      switch response.body {
      case .data(let data):
        data.withUnsafeBytes {
          hs_respond(handle, status, names, count, $0.baseAddress, $0.count, false)
        }
      case .lasting(let lasting):
        hs_respond(
          handle, status, names, count, lasting.bytes.baseAddress, lasting.bytes.count, true)
      case .file(let file): send(file, 0..<file.count)
      case .part(let file, let range): send(file, range)
      }
    }
  }

  /// Calls the closure with the headers as C strings: name, value, name, value, ….
  private static func withHeaders(
    _ headers: [(name: String, value: String)],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, Int) -> Void
  ) {
    var words: [UnsafeMutablePointer<CChar>?] = []
    for header in headers {
      words.append(strdup(header.name))
      words.append(strdup(header.value))
    }
    defer { for word in words { free(word) } }
    let names: [UnsafePointer<CChar>?] = words.map { word in word.map { UnsafePointer($0) } }
    names.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
  }
}
