/// A namespace for types of publishers.
public enum Publishers {}

extension Publisher {
  private func transformed<Made, MadeFailure: Error>(
    _ makeSteps: @escaping () -> RelaySteps<Output, Failure, Made, MadeFailure>
  ) -> Publishers.Transformed<Self, Made, MadeFailure> {
    Publishers.Transformed(upstream: self, makeSteps: makeSteps)
  }

  /// Calls `onValue` with each value, and takes the step that it returns. Each subscription has its own state, which
  /// begins as `state`.
  private func stepwise<State, Made>(
    _ state: State, _ onValue: @escaping (inout State, Output) -> RelayStep<Made, Failure>
  ) -> Publishers.Transformed<Self, Made, Failure> {
    transformed {
      var state: State = state
      return RelaySteps(onValue: { onValue(&state, $0) }, onCompletion: { (nil, $0) })
    }
  }

  /// Sends one value at the end: the result of `result` for the last state.
  private func aggregated<State, Made>(
    _ state: State, _ onValue: @escaping (inout State, Output) -> Void,
    _ result: @escaping (State) -> Made?
  ) -> Publishers.Transformed<Self, Made, Failure> {
    transformed {
      var state: State = state
      return RelaySteps(
        onValue: {
          onValue(&state, $0)
          return .skip
        },
        onCompletion: { completion in
          if case .failure = completion { return (nil, completion) }
          return (result(state), completion)
        }, isAggregate: true)
    }
  }

  /// Calls a closure with each value, and takes the step that it returns. Fails with the closure's error.
  private func attempted<Made>(_ onValue: @escaping (Output) throws -> RelayStep<Made, any Error>)
    -> Publishers.Transformed<Self, Made, any Error>
  {
    transformed {
      RelaySteps(
        onValue: { value in
          do { return try onValue(value) } catch { return .end(nil, .failure(error)) }
        }, onCompletion: { (nil, $0.mapError { $0 as any Error }) })
    }
  }

  /// Changes each value.
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
    stepwise(()) { _, value in .send(transform(value)) }
  }

  /// Takes a property of each value.
  public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.Map<Self, T> {
    map { $0[keyPath: keyPath] }
  }

  /// Changes each value. Fails with the closure's error.
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    attempted { .send(try transform($0)) }
  }

  /// Changes each value, and drops it if the result is nil.
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T>
  {
    stepwise(()) { _, value in transform(value).map { .send($0) } ?? .skip }
  }

  /// Changes each value, and drops it if the result is nil. Fails with the closure's error.
  public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?)
    -> Publishers.TryMap<Self, T>
  {
    attempted { try transform($0).map { .send($0) } ?? .skip }
  }

  /// Keeps the values for which a closure returns true.
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    stepwise(()) { _, value in isIncluded(value) ? .send(value) : .skip }
  }

  /// Keeps the values for which a closure returns true. Fails with the closure's error.
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool)
    -> Publishers.TryMap<Self, Output>
  {
    attempted { try isIncluded($0) ? .send($0) : .skip }
  }

  /// Drops values that equal the value before them.
  public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool)
    -> Publishers.Filter<Self>
  {
    stepwise(Output?.none) { last, value in
      if let last, predicate(last, value) { return .skip }
      last = value
      return .send(value)
    }
  }

  /// Calls a closure with the previous result and each value, and sends the new result.
  public func scan<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T)
    -> Publishers.Map<Self, T>
  {
    stepwise(initialResult) { result, value in
      result = nextPartialResult(result, value)
      return .send(result)
    }
  }

  /// Drops the first values.
  public func dropFirst(_ count: Int = 1) -> Publishers.Filter<Self> {
    stepwise(count) { left, value in
      guard left > 0 else { return .send(value) }
      left -= 1
      return .skip
    }
  }

  /// Drops values until a closure returns false.
  public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    stepwise(true) { isDropping, value in
      isDropping = isDropping && predicate(value)
      return isDropping ? .skip : .send(value)
    }
  }

  /// Sends the first values, and ends.
  public func prefix(_ maxLength: Int) -> Publishers.Filter<Self> {
    stepwise(maxLength) { left, value in
      left -= 1
      if left < 0 { return .end(nil, .finished) }
      return left == 0 ? .end(value, .finished) : .send(value)
    }
  }

  /// Sends values until a closure returns false, and ends.
  public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    stepwise(()) { _, value in predicate(value) ? .send(value) : .end(nil, .finished) }
  }

  /// Sends the first value, and ends.
  public func first() -> Publishers.Filter<Self> { prefix(1) }

  /// Sends the first value for which a closure returns true, and ends.
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    stepwise(()) { _, value in predicate(value) ? .end(value, .finished) : .skip }
  }

  /// Sends the last value at the end.
  public func last() -> Publishers.Filter<Self> {
    aggregated(Output?.none, { $0 = $1 }, { $0 })
  }

  /// Sends all values as one array at the end.
  public func collect() -> Publishers.Map<Self, [Output]> {
    aggregated([Output](), { $0.append($1) }, { $0 })
  }

  /// Sends arrays of `count` values. The last array may have fewer values.
  public func collect(_ count: Int) -> Publishers.Map<Self, [Output]> {
    transformed {
      var values: [Output] = []
      return RelaySteps(
        onValue: {
          values.append($0)
          guard values.count >= count else { return .skip }
          defer { values = [] }
          return .send(values)
        }, onCompletion: { (values.isEmpty ? nil : values, $0) })
    }
  }

  /// Combines all values with a closure, and sends the result at the end.
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T)
    -> Publishers.Map<Self, T>
  {
    aggregated(initialResult, { $0 = nextPartialResult($0, $1) }, { $0 })
  }

  /// Sends the number of values at the end.
  public func count() -> Publishers.Map<Self, Int> { reduce(0) { count, _ in count + 1 } }

  /// Sends no value, only the end.
  public func ignoreOutput() -> Publishers.CompactMap<Self, Never> {
    aggregated((), { _, _ in }, { nil })
  }

  /// Sends a value at the end if the publisher sent no value.
  public func replaceEmpty(with output: Output) -> Publishers.Filter<Self> {
    transformed {
      var isEmpty: Bool = true
      return RelaySteps(
        onValue: {
          isEmpty = false
          return .send($0)
        },
        onCompletion: { completion in
          if case .failure = completion { return (nil, completion) }
          return (isEmpty ? output : nil, completion)
        })
    }
  }

  /// Replaces nil with a value.
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    map { $0 ?? output }
  }

  /// Changes the error.
  public func mapError<E: Error>(_ transform: @escaping (Failure) -> E)
    -> Publishers.MapError<Self, E>
  {
    transformed {
      RelaySteps(onValue: { .send($0) }, onCompletion: { (nil, $0.mapError(transform)) })
    }
  }

  /// Sends a value instead of the error, and ends.
  public func replaceError(with output: Output) -> Publishers.MapError<Self, Never> {
    transformed {
      RelaySteps(
        onValue: { .send($0) },
        onCompletion: { completion in
          if case .failure = completion { return (output, .finished) }
          return (nil, .finished)
        })
    }
  }

  /// Calls closures at the events of a subscription.
  public func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion, receiveCancel: receiveCancel,
      receiveRequest: receiveRequest)
  }
}

extension Publisher where Output: Equatable {
  /// Drops values that equal the value before them.
  public func removeDuplicates() -> Publishers.Filter<Self> { removeDuplicates(by: ==) }
}

extension Publisher where Failure == Never {
  /// Changes the type of the error, which cannot occur.
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.MapError<Self, E> {
    Publishers.Transformed(upstream: self) {
      RelaySteps(onValue: { .send($0) }, onCompletion: { _ in (nil, .finished) })
    }
  }
}

extension Subscribers.Completion {
  func mapError<E: Error>(_ transform: (Failure) -> E) -> Subscribers.Completion<E> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
