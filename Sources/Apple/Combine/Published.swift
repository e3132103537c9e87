import Platform

/// A property that publishes its values. In a class that conforms to ``ObservableObject``, the property also announces
/// each change before it happens.
@propertyWrapper
public struct Published<Value> {
  let storage: PublishedStorage<Value>

  /// Makes a property with a first value.
  public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }

  /// Makes a property with a first value.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// Only properties of classes can be published.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.set(newValue) }
  }

  /// The publisher of the property. It sends the current value, and then each new value before the property changes.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    // `assign(to: &object.$property)` writes the publisher back.
    set {}
  }

  /// Publishes the values of a property.
  public struct Publisher: Combine.Publisher {
    /// The type of the values.
    public typealias Output = Value
    /// No error can occur.
    public typealias Failure = Never
    let storage: PublishedStorage<Value>

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      storage.subject.receive(subscriber: subscriber)
    }
  }

  /// Reads and writes the property of an object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value }
    set { object[keyPath: storageKeyPath].storage.set(newValue) }
  }
}

/// The value of a published property.
///
/// `@unchecked Sendable`: locks protect the state.
final class PublishedStorage<Value>: AnyPublishedStorage, @unchecked Sendable {
  let subject: CurrentValueSubject<Value, Never>
  private let state: Locked<(value: Value, observer: ObservableObjectPublisher?)>
  private let subscriptions: Locked<[AnyCancellable]> = Locked([])

  init(_ value: Value) {
    subject = CurrentValueSubject(value)
    state = Locked((value, nil))
  }

  var value: Value { state.withLock { $0.value } }

  func set(_ value: Value) {
    state.withLock { $0.observer }?.send()
    subject.send(value)
    state.withLock { $0.value = value }
  }

  func keep(_ subscription: AnyCancellable) { subscriptions.withLock { $0.append(subscription) } }

  var observer: ObservableObjectPublisher? {
    get { state.withLock { $0.observer } }
    set { state.withLock { $0.observer = newValue } }
  }
}

/// A published property of any type.
protocol AnyPublishedStorage: AnyObject {
  /// The publisher that announces each change.
  var observer: ObservableObjectPublisher? { get set }
}

extension Published: AnyPublished {
  var anyStorage: any AnyPublishedStorage { storage }
}

/// A published property of any type.
private protocol AnyPublished {
  var anyStorage: any AnyPublishedStorage { get }
}

/// A class that announces its changes.
public protocol ObservableObject: AnyObject {
  /// The type of the publisher.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Sends an event before each change.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Sends an event before a published property changes. In a class without published properties, each access makes a
  /// new publisher. Such a class should store its own publisher.
  public var objectWillChange: ObservableObjectPublisher {
    var properties: [any AnyPublishedStorage] = []
    var mirror: Mirror? = Mirror(reflecting: self)
    while let level = mirror {
      for child in level.children {
        if let property = child.value as? any AnyPublished {
          properties.append(property.anyStorage)
        }
      }
      mirror = level.superclassMirror
    }
    let publisher: ObservableObjectPublisher =
      properties.lazy.compactMap { $0.observer }.first ?? ObservableObjectPublisher()
    for property in properties { property.observer = publisher }
    return publisher
  }
}

/// Sends an event before an object changes.
///
/// `@unchecked Sendable`: the subject is thread-safe.
public final class ObservableObjectPublisher: Publisher, @unchecked Sendable {
  /// Events have no value.
  public typealias Output = Void
  /// No error can occur.
  public typealias Failure = Never
  private let subject = PassthroughSubject<Void, Never>()

  /// Makes a publisher.
  public init() {}

  /// Announces a change.
  public func send() { subject.send() }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    subject.receive(subscriber: subscriber)
  }
}
