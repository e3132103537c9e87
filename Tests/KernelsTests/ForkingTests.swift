import CKernels
import COneDNN
import Foundation
import Platform
import Testing

extension KernelTests {
  /// Tests computing in a forked child. Only the thread that forked exists in the child, so the child must create a new
  /// team to compute.
  @Suite("Forking", .serialized)
  struct ForkingTests {
    /// Forks a child that runs the body, and returns the child's exit status. Nil if a signal ended the child. One such
    /// signal is the alarm that the child sets for 20 s.
    private func child(_ body: () -> Int32) throws -> Int32? {
      typealias Fork = @convention(c) () -> pid_t
      let symbol = try #require(dlsym(nil, "fork"))
      let fork = unsafeBitCast(symbol, to: Fork.self)
      let child: pid_t = fork()
      if child == 0 {
        alarm(20)
        _exit(body())
      }
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      return status & 127 == 0 ? status >> 8 & 255 : nil
    }

    /// Computes the sum of 64 parts with a team of threads.
    private func sum() -> Int64 {
      let before = adnn_threads()
      adnn_set_threads(4)
      defer { adnn_set_threads(before) }
      let parts = UnsafeMutablePointer<Int64>.allocate(capacity: 64)
      defer { parts.deallocate() }
      ck_parallel(
        { context, part in
          context?.assumingMemoryBound(to: Int64.self)[Int(part)] = part
        }, parts, 64)
      return (0..<64).reduce(0) { $0 + parts[$1] }
    }

    @Test("A child computes with a team of its own, and the parent continues")
    func computing() throws {
      #expect(sum() == 2016)
      #expect(try child { sum() == 2016 && !ck_was_forked_unsafely() ? 7 : 1 } == 7)
      #expect(sum() == 2016)
    }

    @Test("A child that was forked inside a call completes the call")
    func nested() throws {
      #expect(ck_enter())
      defer { ck_leave() }
      #expect(try child { !ck_was_forked_unsafely() && ck_enter() && sum() == 2016 ? 7 : 1 } == 7)
    }

    @Test("A child that was forked during another thread's call gets an error")
    func lost() throws {
      let (isIn, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let thread = Thread {
        _ = ck_enter()
        isIn.signal()
        mayLeave.wait()
        ck_leave()
      }
      thread.start()
      isIn.wait()
      defer { mayLeave.signal() }
      #expect(try child { ck_was_forked_unsafely() && !ck_enter() ? 7 : 1 } == 7)
      #expect(!ck_was_forked_unsafely())
    }
  }
}
