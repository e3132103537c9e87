import Glibc

/// Calls a function with every number from 0 to `count` − 1, on one thread per core. The threads end before this
/// function returns.
///
/// Dispatch's `concurrentPerform` is not used: its threads do not exist in a forked child process, so the child would
/// wait for them forever.
public func performConcurrently(_ count: Int, _ body: @Sendable (Int) -> Void) {
  let threads: Int = min(count, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  guard threads > 1 else {
    for number in 0..<max(0, count) { body(number) }
    return
  }
  withoutActuallyEscaping(body) { body in
    let work = SharedWork(count: count, body: body)
    var others: [pthread_t] = []
    for _ in 1..<threads {
      var thread = pthread_t()
      // Safe: `work` stays alive until all threads have been joined below.
      let status: Int32 = pthread_create(
        &thread, nil,
        { work in
          if let work { Unmanaged<SharedWork>.fromOpaque(work).takeUnretainedValue().run() }
          return nil
        }, Unmanaged.passUnretained(work).toOpaque())
      // If a thread cannot be created, the other threads do the work of the missing one.
      if status == 0 { others.append(thread) }
    }
    work.run()
    for thread in others { pthread_join(thread, nil) }
  }
}

/// The numbers for which no thread has called the function yet. Each thread takes the next one until none is left.
private final class SharedWork: Sendable {
  private let count: Int
  private let body: @Sendable (Int) -> Void
  private let next = Locked(0)

  init(count: Int, body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.body = body
  }

  /// Calls the function until no number is left.
  func run() {
    while true {
      let number: Int = next.withLock { next in
        defer { next += 1 }
        return next
      }
      guard number < count else { return }
      body(number)
    }
  }
}
