import CKernels
import COneDNN
import Foundation
import Platform
import Testing

extension KernelTests {
  /// What a child of a fork can do: computing only, as it has no other thread.
  @Suite("Forking", .serialized)
  struct ForkingTests {
    /// The exit status of a child that does this; nil where a signal ended it, its own alarm after 20 s among them.
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

    /// The sum of 64 parts, on a team.
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

    @Test("A child computes on a team of its own, and the parent goes on")
    func computing() throws {
      #expect(sum() == 2016)
      #expect(try child { sum() == 2016 && !ck_is_lost() ? 7 : 1 } == 7)
      #expect(sum() == 2016)
    }

    @Test("A child of a thread that is inside a call goes on with it")
    func nested() throws {
      #expect(ck_enter())
      defer { ck_leave() }
      #expect(try child { !ck_is_lost() && ck_enter() && sum() == 2016 ? 7 : 1 } == 7)
    }

    @Test("A child that was forked while another thread was inside a call is told so")
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
      #expect(try child { ck_is_lost() && !ck_enter() ? 7 : 1 } == 7)
      #expect(!ck_is_lost())
    }
  }
}
