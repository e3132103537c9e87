import Platform
import Service

/// Something that the studio makes for a client in the background.
protocol ClientWork: Sendable {
  /// The work as clients see it.
  associatedtype Report: Encodable, Sendable, Identifiable where Report.ID == String

  var report: Report { get set }
  /// The client that gets the events.
  var client: String { get }
}

/// The works of one kind of all clients. After a change, the work's client gets an event with the report.
final class WorkBoard<Work: ClientWork>: Sendable {
  /// All works. The newest one is last.
  let works = Locked<[Work]>([])
  private let events: EventHub
  private let event: String
  private let noun: String

  /// Creates a board without works.
  ///
  /// - Parameters:
  ///   - event: The kind of the events.
  ///   - noun: The word for a work in sentences for users.
  init(_ events: EventHub, event: String, noun: String) {
    self.events = events
    self.event = event
    self.noun = noun
  }

  /// The reports of a client's works. The newest one is last.
  func reports(of client: String) -> [Work.Report] {
    works.withLock { $0.filter { $0.client == client }.map(\.report) }
  }

  /// The identifiers of all works.
  var identifiers: [String] { works.withLock { $0.map(\.report.id) } }

  /// Returns the work with the given identifier. Throws if there is none.
  func one(_ id: String) throws -> Work {
    guard let one = works.withLock({ $0.first { $0.report.id == id } }) else { throw missing }
    return one
  }

  /// The error for an identifier without a work.
  var missing: HTTPError { .missing("\(noun) of that name") }

  /// Changes a work, and tells its client. Returns nil if the work was removed.
  @discardableResult
  func change<Value: Sendable>(
    _ id: String, tells: Bool = true, _ body: (inout Work) -> Value
  ) -> Value? {
    let changed: (Value, Work)? = works.withLock { works in
      guard let position = works.firstIndex(where: { $0.report.id == id }) else { return nil }
      let value: Value = body(&works[position])
      return (value, works[position])
    }
    guard let (value, work) = changed else { return nil }
    if tells { events.send(event, work.report, to: work.client) }
    return value
  }
}
