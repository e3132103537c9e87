import CProcess
import Foundation
import Glibc
import Platform
import Service

/// The main function of a worker process: answers the studio's requests about models until the studio ends.
public enum StudioWorker {
  /// The command-line argument that makes the program a worker. Only the studio passes it.
  public static let command = "studio-worker"

  /// Reads requests from standard input, which is a socket, and writes the responses to the same socket.
  ///
  /// - Returns: False if standard input is not a socket.
  public static func run() -> Bool {
    var kind: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(0, SOL_SOCKET, SO_TYPE, &kind, &length) == 0 else { return false }
    cp_be_helper()
    cp_bound_memory()
    watch()
    let stream = WorkerStream(socket: 0)
    let models = OpenModels(most: 2)
    while let (request, parts) = try? stream.receive(WorkerRequest.self, most: 2 << 30) {
      // There is no time limit here, because the studio ends workers that take too long.
      let worker = LocalModelWorker(models, PictureLimit(pixels: request.pixels), seconds: 1e6)
      serve(request, parts, worker, stream)
      cp_trim_memory()
    }
    return true
  }

  /// Starts a thread that ends this process when the studio has ended, even during a computation.
  private static func watch() {
    let thread = Thread {
      while true {
        var watched = pollfd(fd: 0, events: 0, revents: 0)
        guard poll(&watched, 1, -1) > 0 || errno == EINTR else { _exit(1) }
        if Int32(watched.revents) & (POLLHUP | POLLERR) != 0 { _exit(0) }
      }
    }
    thread.stackSize = 256 << 10
    thread.start()
  }

  private static func serve(
    _ request: WorkerRequest, _ parts: [Data], _ worker: LocalModelWorker, _ stream: WorkerStream
  ) {
    let files = Dictionary(zip(request.names, parts)) { $1 }
    let pace = ReportPace()
    let writing = Locked(())
    do {
      let answer = try waited {
        try await worker.answer(request.modelRequest, about: request.file, files) { share in
          guard pace.isDue(share) else { return }
          writing.withLock { _ in try? stream.send(WorkerReply.progress(share)) }
        }
      }
      try writing.withLock { _ in
        if let painted = answer.painted {
          let (head, planes) = painted.message
          try stream.send(head, planes)
        } else {
          try stream.send(WorkerReply.answer, [answer.json] + (answer.binary.map { [$0] } ?? []))
        }
      }
    } catch {
      let refusal = httpError(of: error)
      try? writing.withLock { _ in
        try stream.send(
          WorkerReply.refusal(
            status: refusal.status, code: refusal.code, message: refusal.message))
      }
    }
  }
}

/// Limits how often progress is reported: at the beginning, then at most ten times per second.
final class ReportPace: Sendable {
  private let last = Locked<ContinuousClock.Instant?>(nil)

  /// Returns whether to report a share of the work now.
  func isDue(_ share: Double) -> Bool {
    last.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last < .milliseconds(100) { return false }
      last = now
      return true
    }
  }
}
