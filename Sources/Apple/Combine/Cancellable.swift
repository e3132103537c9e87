import Platform

/// An activity that can be cancelled.
public protocol Cancellable {
  /// Cancels the activity. Further calls have no effect.
  func cancel()
}

extension Cancellable {
  /// Stores the activity in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }

  /// Appends the activity to a collection.
  public func store<C>(in collection: inout C)
  where C: RangeReplaceableCollection, C.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }
}

/// A subscription. It ends when it is cancelled or released.
///
/// `@unchecked Sendable`: a lock protects the closure. The first call of ``cancel()`` removes the closure, so the
/// closure is called once.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  private let lock = Gate()
  private var action: (() -> Void)?

  /// Makes a subscription.
  ///
  /// - Parameter cancel: The closure that is called once, to end the subscription.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  /// Makes a subscription that cancels another activity.
  public convenience init<C: Cancellable>(_ canceller: C) {
    self.init { canceller.cancel() }
  }

  deinit { cancel() }

  /// Ends the subscription.
  public func cancel() {
    let taken: (() -> Void)? = lock.locked {
      defer { action = nil }
      return action
    }
    taken?()
  }

  /// Stores the subscription in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Appends the subscription to a collection.
  public func store<Collection>(in collection: inout Collection)
  where Collection: RangeReplaceableCollection, Collection.Element == AnyCancellable {
    collection.append(self)
  }

  /// Subscriptions are equal if they are the same object.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
