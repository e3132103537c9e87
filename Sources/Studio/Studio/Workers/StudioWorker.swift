import CProcess
import Foundation
import Glibc
import Platform
import Service

/// The side of a worker: answers the studio's questions about models until the studio goes.
public enum StudioWorker {
  /// The command that makes the program a worker. The studio calls it; nobody else needs it.
  public static let command = "studio-worker"

  /// Answers what comes through standard input, which is a stream of both directions.
  ///
  /// - Returns: false where standard input is no such stream.
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
      // The studio ends what takes too long.
      let bench = ModelBench(models, PictureLimit(pixels: request.pixels), seconds: 1e6)
      serve(request, parts, bench, stream)
      cp_trim_memory()
    }
    return true
  }

  /// Ends the process when the studio goes, whatever it computes.
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
    _ request: WorkerRequest, _ parts: [Data], _ bench: ModelBench, _ stream: WorkerStream
  ) {
    let files = Dictionary(zip(request.names, parts)) { $1 }
    let pace = ReportPace()
    let writing = Locked(())
    do {
      let answer = try waited {
        try await bench.answer(request.question, about: request.file, files) { share in
          guard pace.isDue(share) else { return }
          writing.withLock { _ in try? stream.send(WorkerReply.progress(share)) }
        }
      }
      try writing.withLock { _ in
        if let painted = answer.painted {
          let (head, planes) = painted.message
          try stream.send(head, planes)
        } else {
          try stream.send(WorkerReply.answer, [answer.json])
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

/// Says when progress is worth telling: at the beginning, and ten times a second.
final class ReportPace: Sendable {
  private let last = Locked<ContinuousClock.Instant?>(nil)

  /// Whether a share should be told now.
  func isDue(_ share: Double) -> Bool {
    last.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last < .milliseconds(100) { return false }
      last = now
      return true
    }
  }
}
