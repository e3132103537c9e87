import CMicrohttpd
import Foundation
import Platform

/// An HTTP server: requests within limits go to one asynchronous function, and its answers back.
///
/// Refusals (another host's name, a foreign page, no token, too long) are answered before a body is
/// read. A client that goes away cancels the task of its request.
///
/// `@unchecked Sendable`: the server's handle is written once, before anything is served.
public final class HTTPServer: @unchecked Sendable {
  /// How a server listens, and what it bears.
  public struct Options: Sendable {
    /// The address in digits.
    public var address = "127.0.0.1"
    /// The port; 0 lets the system choose.
    public var port: UInt16 = 0
    /// What every client must show; nil asks for nothing.
    public var token: String?
    /// The address that a proxy gives the server to others by; nil where there is none.
    public var publicAddress: PublicAddress?
    /// The most connections at once.
    public var connections = 200
    /// How long a connection may be silent, in seconds.
    public var idleSeconds = 60
    /// How long a head may take, in seconds.
    public var headSeconds = 20
    /// How long a body may take, in seconds, besides a second for each 64 kB.
    public var bodySeconds = 20
    /// The most bytes of a head.
    public var headBytes = 32768
    /// The most bytes of all bodies that are being read, worked on or kept for work, of messages that come on
    /// WebSockets, and of answers that wait to be taken.
    public var bodyBytes = 512 << 20
    /// The most WebSockets at once.
    public var sockets = 32
    /// The most bytes of a message on a WebSocket.
    public var messageBytes = 4 << 20

    /// Options as they are unless changed.
    public init() {}
  }

  /// What came in and went out since the start.
  public struct Counts: Sendable {
    /// Requests by the class of their answer: 2 for 200, 204, ….
    public var answers: [Int: Int] = [:]
    /// Requests that were refused before they were read.
    public var refused = 0
    /// WebSockets that are open.
    public var sockets = 0
    /// Bytes that are reserved for bodies, messages and answers.
    public var bodyBytes = 0

    /// Nothing yet.
    public init() {}
  }

  /// Answers a request.
  public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse
  /// The most bytes that the body of a request may have, by its head.
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
    var stops = false
  }

  /// One request on its way.
  private final class Exchange: Sendable {
    struct State {
      var head: HTTPHead?
      /// The memory of the body, until the exchange is over.
      var room: Reservation?
      /// The memory of the answer while it is sent.
      var answerRoom: Reservation?
      var task: Task<Void, Never>?
      var isLeft = false
      var socket: (@Sendable (WebSocket) -> Void)?
    }
    let state = Locked(State())
  }

  /// A handle that goes from the library's thread to a task, and back.
  ///
  /// `@unchecked Sendable`: the library's calls on it are made for many threads.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// A server that is not listening yet.
  public init(_ options: Options, limit: @escaping Limit, handler: @escaping Handler) {
    self.options = options
    self.limit = limit
    self.handler = handler
    budget = MemoryBudget(byteCount: options.bodyBytes)
    policy = AccessPolicy(
      address: options.address, token: options.token, publicAddress: options.publicAddress)
  }

  /// The port that is listened on; 0 before ``start()``.
  public var port: UInt16 { server.map { hs_port($0) } ?? 0 }
  /// What came in and went out.
  public var counts: Counts {
    var counts = state.withLock { $0.counts }
    counts.bodyBytes = budget.usedCount
    return counts
  }
  /// How many connections are open.
  public var connectionCount: Int { server.map { Int(hs_connections($0)) } ?? 0 }

  /// Begins to listen.
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
      return hs_start(&plain, &handlers)
    }
    guard server != nil else {
      let reason = String(cString: strerror(errno))
      throw HTTPError(
        500, "cannot_listen",
        "The studio cannot listen on \(options.address), port \(options.port): \(reason). Choose"
          + " another with --port or --listen.")
    }
  }

  /// Ends all connections and waits until they are gone.
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

  // MARK: What the library calls

  private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    guard let context else { preconditionFailure("the library gives back what it was given") }
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
    do {
      return try Int64(admit(handle, exchange))
    } catch {
      state.withLock { $0.counts.refused += 1 }
      respond(
        handle, exchange, (error as? HTTPError)?.response ?? HTTPResponse(400), closes: true)
      return 0
    }
  }

  /// Decides by the head whether a body is read, and how much of it.
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
        "The request's head has \(headBytes) bytes, but at most \(options.headBytes) are taken.")
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
        411, "length_required", "The body's length must be stated (Content-Length), not chunked.")
    }
    let limit = self.limit(head)
    let count = head.has("content-length") ? Int(head.header("content-length") ?? "") : 0
    guard let count, count >= 0 else {
      throw HTTPError(400, "bad_length", "The body's length is no number.")
    }
    guard count <= limit else {
      throw HTTPError(
        413, "too_large",
        limit == 0
          ? "This request takes no body, but \(count) bytes were announced."
          : "The body has \(count) bytes, but at most \(limit) are taken here.")
    }
    guard let room = budget.reserve(count) else { throw Self.noRoom }
    let known: HTTPHead = head
    exchange.state.withLock {
      $0.head = known
      $0.room = room
    }
    return count
  }

  private static let noRoom = HTTPError(
    503, "no_room", "Too much is being sent at once. Try again in a little while.",
    headers: [("Retry-After", "2")])

  private func complete(_ handle: OpaquePointer?) {
    guard let (handle, exchange) = exchange(handle),
      case let (head?, room) = exchange.state.withLock({ ($0.head, $0.room) })
    else { return }
    var count = 0
    let bytes = hs_take_body(handle, &count)
    let body = bytes.map { Data(bytesNoCopy: $0, count: count, deallocator: .free) } ?? Data()
    let pending = Locked<HTTPRequest?>(HTTPRequest(head: head, body: body, room: room))
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

  /// The handler's answer. The request and its memory go before the answer is sent, unless the handler keeps them.
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
        HTTPError(426, "websocket_only", "This address is for WebSockets (version 13).").response,
        closes: false)
    }
    let isRoom = state.withLock { state in
      guard !state.stops, state.counts.sockets < options.sockets else { return false }
      state.counts.sockets += 1
      return true
    }
    guard isRoom else {
      return respond(
        handle, exchange,
        HTTPError(
          503, "too_many_sockets", "\(options.sockets) WebSockets are open, which is the most."
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
    // The memory is given back with the exchange, unless a handler keeps the body.
    let (task, dangling) = exchange.state.withLock { state in
      defer {
        state.socket = nil
        state.room = nil
        state.answerRoom = nil
      }
      return (state.task, state.socket != nil)
    }
    task?.cancel()
    if dangling { state.withLock { $0.counts.sockets -= 1 } }
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

  // MARK: Answering

  /// What every answer says: nothing is guessed, framed, kept or given to other sites.
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

  /// Answers up to this size are small beside a connection's own memory.
  private static let smallAnswer = 64 << 10

  private func respond(
    _ handle: OpaquePointer, _ exchange: Exchange, _ response: HTTPResponse, closes: Bool
  ) {
    var response = response
    exchange.state.withLock { $0.room = nil }
    if case .data(let data) = response.body, data.count > Self.smallAnswer {
      if let room = budget.reserve(data.count) {
        exchange.state.withLock { $0.answerRoom = room }
      } else {
        response = Self.noRoom.response
      }
    }
    state.withLock { $0.counts.answers[response.status / 100, default: 0] += 1 }
    var headers = Self.common + response.headers
    if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
      headers.append(("Cache-Control", "no-store"))
    }
    if closes { headers.append(("Connection", "close")) }
    Self.withHeaders(headers) { names, count in
      let status = UInt32(response.status)
      switch response.body {
      case .data(let data):
        data.withUnsafeBytes {
          hs_respond(handle, status, names, count, $0.baseAddress, $0.count, false)
        }
      case .lasting(let lasting):
        hs_respond(
          handle, status, names, count, lasting.bytes.baseAddress, lasting.bytes.count, true)
      case .file(let file):
        let descriptor: Int32 = file.another()
        guard descriptor >= 0 else {
          return hs_respond(handle, 503, names, count, nil, 0, false)
        }
        hs_respond_file(handle, status, names, count, descriptor, UInt64(file.count))
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
