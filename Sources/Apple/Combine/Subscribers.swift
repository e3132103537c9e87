import Platform

/// A namespace for types of subscribers.
public enum Subscribers {
  /// The end of a sequence of values.
  public enum Completion<Failure: Error> {
    /// The publisher finished normally.
    case finished
    /// The publisher failed with an error.
    case failure(Failure)
  }

  /// The number of values that a subscriber requests.
  public struct Demand: Equatable, Comparable, Hashable, Sendable, CustomStringConvertible {
    /// The number; nil for all values.
    public let max: Int?

    /// All values.
    public static let unlimited: Demand = Demand(max: nil)

    /// No value.
    public static let none: Demand = Demand(max: 0)

    /// A number of values, at least 0.
    public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "a demand is \(value), expected at least 0")
      return Demand(max: value)
    }

    /// The sum.
    public static func + (left: Demand, right: Demand) -> Demand {
      guard let first = left.max, let second = right.max else { return .unlimited }
      let (sum, isTooLarge) = first.addingReportingOverflow(second)
      return isTooLarge ? .unlimited : Demand(max: sum)
    }

    /// Adds a demand.
    public static func += (left: inout Demand, right: Demand) { left = left + right }

    /// The difference, at least 0.
    public static func - (left: Demand, right: Demand) -> Demand {
      guard let first = left.max else { return .unlimited }
      guard let second = right.max else { return .none }
      return Demand(max: Swift.max(0, first - second))
    }

    /// Subtracts a demand.
    public static func -= (left: inout Demand, right: Demand) { left = left - right }

    /// The sum with a number.
    public static func + (left: Demand, right: Int) -> Demand { left + .max(right) }

    /// Adds a number.
    public static func += (left: inout Demand, right: Int) { left += .max(right) }

    /// The difference to a number.
    public static func - (left: Demand, right: Int) -> Demand { left - .max(right) }

    /// Subtracts a number.
    public static func -= (left: inout Demand, right: Int) { left -= .max(right) }

    /// The product with a number.
    public static func * (left: Demand, right: Int) -> Demand {
      guard let number = left.max else { return .unlimited }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: right)
      return isTooLarge ? .unlimited : .max(product)
    }

    /// `unlimited` is greater than any number.
    public static func < (left: Demand, right: Demand) -> Bool {
      guard let first = left.max else { return false }
      guard let second = right.max else { return true }
      return first < second
    }

    /// Whether the demand is greater than a number.
    public static func > (left: Demand, right: Int) -> Bool { left > .max(right) }

    /// Whether the demand equals a number.
    public static func == (left: Demand, right: Int) -> Bool { left.max == right }

    /// `unlimited`, or `max(3)`.
    public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
  }

  /// A subscriber that requests all values and passes them to closures.
  ///
  /// `@unchecked Sendable`: a lock protects the subscription. The closures are constants.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    /// The closure that gets each value.
    public let receiveValue: (Input) -> Void
    /// The closure that gets the end.
    public let receiveCompletion: (Completion<Failure>) -> Void
    private let upstream: Locked<(any Subscription)?> = Locked(nil)

    /// Makes a subscriber.
    public init(
      receiveCompletion: @escaping (Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    /// Requests all values.
    public func receive(subscription: any Subscription) {
      upstream.withLock { $0 = subscription }
      subscription.request(.unlimited)
    }

    /// Passes the value on.
    public func receive(_ value: Input) -> Demand {
      receiveValue(value)
      return .none
    }

    /// Passes the end on.
    public func receive(completion: Completion<Failure>) {
      upstream.withLock { $0 = nil }
      receiveCompletion(completion)
    }

    /// Ends the subscription.
    public func cancel() { upstream.withLock { taken(&$0) }?.cancel() }
  }

  /// A subscriber that writes each value to a property of an object.
  ///
  /// `@unchecked Sendable`: a lock protects the subscription and the object.
  public final class Assign<Root, Input>: Subscriber, Cancellable, @unchecked Sendable {
    /// No error can end the values.
    public typealias Failure = Never
    /// The property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>
    private let state: Locked<(root: Root?, upstream: (any Subscription)?)>

    /// Makes a subscriber.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      state = Locked((object, nil))
      self.keyPath = keyPath
    }

    /// The object; nil after the end.
    public var object: Root? { state.withLock { $0.root } }

    /// Requests all values.
    public func receive(subscription: any Subscription) {
      state.withLock { $0.upstream = subscription }
      subscription.request(.unlimited)
    }

    /// Writes the value.
    public func receive(_ value: Input) -> Demand {
      if let object { object[keyPath: keyPath] = value }
      return .none
    }

    /// Releases the object.
    public func receive(completion: Completion<Never>) {
      state.withLock { $0 = (nil, nil) }
    }

    /// Ends the subscription and releases the object.
    public func cancel() {
      let upstream: (any Subscription)? = state.withLock {
        $0.root = nil
        return taken(&$0.upstream)
      }
      upstream?.cancel()
    }
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

/// Returns the value of a variable and sets it to nil.
func taken<Value>(_ variable: inout Value?) -> Value? {
  defer { variable = nil }
  return variable
}

/// Counts identifiers.
enum IdentifierCounter {
  private static let last: Locked<UInt> = Locked(0)

  static func next() -> UInt {
    last.withLock {
      $0 += 1
      return $0
    }
  }
}
