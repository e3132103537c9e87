import Platform

extension Publisher {
  /// Subscribes to this publisher, as a source of an outlet. Passes the values and the end to closures.
  func feed<O, F: Error>(
    _ outlet: Outlet<O, F>, _ onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    _ onValue: @escaping (Output) -> Void
  ) {
    // The outlet releases the subscription when the source ends, which can happen inside `sink`.
    let kept = Locked<AnyCancellable?>(nil)
    let ended = Locked(false)
    let subscription = sink(
      receiveCompletion: { completion in
        ended.withLock { $0 = true }
        onCompletion(completion)
        if let subscription = kept.withLock({ taken(&$0) }) { outlet.release(subscription) }
      }, receiveValue: onValue)
    guard !ended.withLock({ $0 }) else { return }
    kept.withLock { $0 = subscription }
    outlet.keep(subscription)
  }

  /// Sends the values of both publishers as they come.
  public func merge<P: Publisher>(with other: P) -> Publishers.Joined<Output, Failure>
  where P.Output == Output, P.Failure == Failure {
    Publishers.MergeMany([eraseToAnyPublisher(), other.eraseToAnyPublisher()]).joined
  }

  /// Sends the latest values of both publishers whenever one of them sends a value.
  public func combineLatest<P: Publisher>(_ other: P)
    -> Publishers.Joined<(Output, P.Output), Failure>
  where P.Failure == Failure {
    Publishers.Joined { outlet in
      let state = Locked<(first: Output?, second: P.Output?, left: Int)>((nil, nil, 2))
      func finish(_ completion: Subscribers.Completion<Failure>) {
        let isLast: Bool = state.withLock {
          $0.left -= 1
          return $0.left == 0
        }
        if case .failure = completion { outlet.finish(completion) }
        if isLast { outlet.finish(.finished) }
      }
      func send() {
        let pair: (Output, P.Output)? = state.withLock { state in
          state.first.flatMap { first in state.second.map { (first, $0) } }
        }
        if let pair { outlet.offer(pair) }
      }
      feed(outlet, finish) { value in
        state.withLock { $0.first = value }
        send()
      }
      other.feed(outlet, finish) { value in
        state.withLock { $0.second = value }
        send()
      }
    }
  }

  /// Calls a closure with the latest values of both publishers, and sends the result.
  public func combineLatest<P: Publisher, T>(
    _ other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Joined<(Output, P.Output), Failure>, T>
  where P.Failure == Failure {
    combineLatest(other).map { transform($0.0, $0.1) }
  }

  /// Sends the latest values of three publishers whenever one of them sends a value.
  public func combineLatest<P: Publisher, Q: Publisher>(_ second: P, _ third: Q)
    -> Publishers.Map<
      Publishers.Joined<((Output, P.Output), Q.Output), Failure>, (Output, P.Output, Q.Output)
    >
  where P.Failure == Failure, Q.Failure == Failure {
    combineLatest(second).combineLatest(third).map { ($0.0.0, $0.0.1, $0.1) }
  }

  /// Sends pairs of the publishers' first values, second values and so on.
  public func zip<P: Publisher>(_ other: P) -> Publishers.Joined<(Output, P.Output), Failure>
  where P.Failure == Failure {
    Publishers.Joined { outlet in
      let state = Locked<(first: [Output], second: [P.Output], ended: (Bool, Bool))>(
        ([], [], (false, false)))
      func send() {
        let (pair, isEnd) = state.withLock { state -> ((Output, P.Output)?, Bool) in
          var pair: (Output, P.Output)?
          if !state.first.isEmpty, !state.second.isEmpty {
            pair = (state.first.removeFirst(), state.second.removeFirst())
          }
          return (
            pair,
            (state.ended.0 && state.first.isEmpty) || (state.ended.1 && state.second.isEmpty)
          )
        }
        if let pair { outlet.offer(pair) }
        if isEnd { outlet.finish(.finished) }
      }
      func finish(_ completion: Subscribers.Completion<Failure>, _ isFirst: Bool) {
        if case .failure = completion { return outlet.finish(completion) }
        state.withLock {
          if isFirst { $0.ended.0 = true } else { $0.ended.1 = true }
        }
        send()
      }
      feed(outlet, { finish($0, true) }) { value in
        state.withLock { $0.first.append(value) }
        send()
      }
      other.feed(outlet, { finish($0, false) }) { value in
        state.withLock { $0.second.append(value) }
        send()
      }
    }
  }

  /// Calls a closure with each value, and sends the values of the publisher that the closure returns.
  ///
  /// - Parameter maxPublishers: The maximum number of such publishers that run at a time.
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.Joined<P.Output, Failure> where P.Failure == Failure {
    Publishers.Joined { outlet in
      let running = Locked(1)
      let upstream = Locked<(any Subscription)?>(nil)
      func finish(_ completion: Subscribers.Completion<Failure>) {
        let isLast: Bool = running.withLock {
          $0 -= 1
          return $0 == 0
        }
        if case .failure = completion { outlet.finish(completion) }
        if isLast { outlet.finish(.finished) }
      }
      subscribe(
        AnySubscriber<Output, Failure>(
          receiveSubscription: { subscription in
            upstream.withLock { $0 = subscription }
            outlet.keep(AnyCancellable { subscription.cancel() })
            subscription.request(maxPublishers)
          },
          receiveValue: { value in
            running.withLock { $0 += 1 }
            transform(value).feed(
              outlet,
              { completion in
                finish(completion)
                if maxPublishers != .unlimited { upstream.withLock { $0 }?.request(.max(1)) }
              }, { outlet.offer($0) })
            return .none
          }, receiveCompletion: finish))
    }
  }

  /// Sends the values of the latest publisher that this publisher sent.
  public func switchToLatest() -> Publishers.Joined<Output.Output, Failure>
  where Output: Publisher, Output.Failure == Failure {
    Publishers.Joined { outlet in
      let state = Locked<(number: Int, inner: AnyCancellable?, open: (outer: Bool, inner: Bool))>(
        (0, nil, (true, false)))
      outlet.keep(AnyCancellable { state.withLock { taken(&$0.inner) }?.cancel() })
      func finishIfDone() {
        let isDone: Bool = state.withLock { !$0.open.outer && !$0.open.inner }
        if isDone { outlet.finish(.finished) }
      }
      feed(
        outlet,
        { completion in
          if case .failure = completion { return outlet.finish(completion) }
          state.withLock { $0.open.outer = false }
          finishIfDone()
        },
        { publisher in
          let (number, last) = state.withLock { state -> (Int, AnyCancellable?) in
            state.number += 1
            state.open.inner = true
            return (state.number, taken(&state.inner))
          }
          last?.cancel()
          let inner = publisher.sink(
            receiveCompletion: { completion in
              if case .failure = completion { return outlet.finish(completion) }
              state.withLock { if $0.number == number { $0.open.inner = false } }
              finishIfDone()
            },
            receiveValue: { value in
              if state.withLock({ $0.number == number }) { outlet.offer(value) }
            })
          state.withLock { if $0.number == number { $0.inner = inner } }
        })
    }
  }

  /// After an error, calls a closure with the error, and continues with the publisher that the closure returns.
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P)
    -> Publishers.Joined<Output, P.Failure> where P.Output == Output
  {
    Publishers.Joined { outlet in
      feed(
        outlet,
        { completion in
          switch completion {
          case .finished: outlet.finish(.finished)
          case .failure(let error):
            handler(error).feed(outlet, { outlet.finish($0) }, { outlet.offer($0) })
          }
        }, { outlet.offer($0) })
    }
  }

  /// Subscribes again after an error, at most `retries` times.
  public func retry(_ retries: Int) -> Publishers.Joined<Output, Failure> {
    Publishers.Joined { outlet in
      func attempt(_ left: Int) {
        feed(
          outlet,
          { completion in
            if case .failure = completion, left > 0 { return attempt(left - 1) }
            outlet.finish(completion)
          }, { outlet.offer($0) })
      }
      attempt(retries)
    }
  }

  /// Sends the values of another publisher after the end.
  public func append<P: Publisher>(_ publisher: P) -> Publishers.Joined<Output, Failure>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Joined { outlet in
      feed(
        outlet,
        { completion in
          if case .failure = completion { return outlet.finish(completion) }
          publisher.feed(outlet, { outlet.finish($0) }, { outlet.offer($0) })
        }, { outlet.offer($0) })
    }
  }

  /// Sends values after the end.
  public func append(_ elements: Output...) -> Publishers.Joined<Output, Failure> {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Sends values first.
  public func prepend(_ elements: Output...) -> Publishers.Joined<Output, Failure> {
    Publishers.Sequence(sequence: elements).append(self)
  }
}

extension Publishers {
  /// Sends the values of several publishers as they come.
  public struct MergeMany<Upstream: Publisher>: Publisher {
    /// The type of the values.
    public typealias Output = Upstream.Output
    /// The type of the error.
    public typealias Failure = Upstream.Failure
    /// The publishers.
    public let publishers: [Upstream]

    /// Makes a publisher that merges other publishers.
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
      publishers = Array(upstream)
    }

    /// Makes a publisher that merges other publishers.
    public init(_ upstream: Upstream...) { publishers = upstream }

    var joined: Joined<Output, Failure> {
      Joined { outlet in
        let left = Locked(publishers.count)
        if publishers.isEmpty { outlet.finish(.finished) }
        for publisher in publishers {
          publisher.feed(
            outlet,
            { completion in
              let isLast: Bool = left.withLock {
                $0 -= 1
                return $0 == 0
              }
              if case .failure = completion { outlet.finish(completion) }
              if isLast { outlet.finish(.finished) }
            }, { outlet.offer($0) })
        }
      }
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      joined.receive(subscriber: subscriber)
    }
  }
}
