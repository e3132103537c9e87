import Platform

extension Publisher {
  /// Sends the values and the end on a scheduler, in their order.
  public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
    -> Publishers.Joined<Output, Failure>
  {
    Publishers.Joined { outlet in
      feed(
        outlet,
        { completion in scheduler.schedule(options: options) { outlet.finish(completion) } },
        { value in scheduler.schedule(options: options) { outlet.offer(value) } })
    }
  }

  /// Subscribes on a scheduler.
  public func subscribe<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
    -> Publishers.Joined<Output, Failure>
  {
    Publishers.Joined { outlet in
      scheduler.schedule(options: options) {
        feed(outlet, { outlet.finish($0) }, { outlet.offer($0) })
      }
    }
  }

  /// Sends each value, and the end, some time later.
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil,
    scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Joined<Output, Failure> {
    Publishers.Joined { outlet in
      func later(_ action: @escaping () -> Void) {
        scheduler.schedule(
          after: scheduler.now.advanced(by: interval),
          tolerance: tolerance ?? scheduler.minimumTolerance, options: options, action)
      }
      feed(
        outlet,
        { completion in
          if case .failure = completion { return outlet.finish(completion) }
          later { outlet.finish(completion) }
        }, { value in later { outlet.offer(value) } })
    }
  }

  /// Sends a value if no other value comes during the time `dueTime`. Drops a waiting value at the end.
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Joined<Output, Failure> {
    Publishers.Joined { outlet in
      let latest = Locked(0)
      feed(
        outlet,
        { completion in
          latest.withLock { $0 += 1 }
          scheduler.schedule(options: options) { outlet.finish(completion) }
        },
        { value in
          let number: Int = latest.withLock {
            $0 += 1
            return $0
          }
          scheduler.schedule(
            after: scheduler.now.advanced(by: dueTime), tolerance: scheduler.minimumTolerance,
            options: options
          ) {
            if latest.withLock({ $0 == number }) { outlet.offer(value) }
          }
        })
    }
  }

  /// Sends at most one value per `interval`: the latest value, or the first.
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Joined<Output, Failure> {
    Publishers.Joined { outlet in
      let state = Locked<(value: Output?, next: S.SchedulerTimeType?)>((nil, nil))
      func send() {
        let value: Output? = state.withLock { state in
          state.next = scheduler.now.advanced(by: interval)
          return taken(&state.value)
        }
        if let value { outlet.offer(value) }
      }
      feed(
        outlet,
        { completion in
          send()
          scheduler.schedule { outlet.finish(completion) }
        },
        { value in
          let now: S.SchedulerTimeType = scheduler.now
          let due: S.SchedulerTimeType? = state.withLock { state in
            let isScheduled: Bool = state.value != nil
            if latest || !isScheduled { state.value = value }
            if isScheduled { return nil }
            return max(now, state.next ?? now)
          }
          guard let due else { return }
          if due > now {
            scheduler.schedule(after: due, send)
          } else {
            scheduler.schedule(send)
          }
        })
    }
  }

  /// Subscribes once for all subscribers. Ends the subscription when the last subscriber cancels.
  public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

extension Publishers {
  /// A publisher with one subscription for all its subscribers.
  ///
  /// `@unchecked Sendable`: a lock protects the state.
  public final class Share<Upstream: Publisher>: Publisher, @unchecked Sendable {
    /// The type of the values.
    public typealias Output = Upstream.Output
    /// The type of the error.
    public typealias Failure = Upstream.Failure
    /// The publisher of the values.
    public let upstream: Upstream
    private let subject = PassthroughSubject<Output, Failure>()
    private let state: Locked<(count: Int, subscription: AnyCancellable?)> = Locked((0, nil))

    init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber. The first subscriber starts the subscription.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let isFirst: Bool = state.withLock {
        $0.count += 1
        return $0.count == 1
      }
      subject.handleEvents(receiveCancel: { [self] in
        let ended: AnyCancellable? = state.withLock {
          $0.count -= 1
          return $0.count == 0 ? taken(&$0.subscription) : nil
        }
        ended?.cancel()
      }).subscribe(subscriber)
      guard isFirst else { return }
      let subscription = upstream.subscribe(subject)
      state.withLock { $0.subscription = subscription }
    }
  }
}
