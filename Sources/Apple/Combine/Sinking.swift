extension Publisher {
  /// Subscribes to all values and the end. The closures run on the thread that sends them.
  ///
  /// - Returns: The subscription. It ends when it is released.
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink<Output, Failure>(
      receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {
  /// Subscribes to all values. The closure runs on the thread that sends the value.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Writes each value to a property of an object. The subscription retains the object.
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }

  /// Writes each value to a published property. The subscription ends when the property is released.
  public func assign(to published: inout Published<Output>.Publisher) {
    let storage = published.storage
    let subscription = sink { [weak storage] value in storage?.set(value) }
    storage.keep(subscription)
  }
}
