import CProcess
import Foundation
import Glibc
import Imaging
import Platform
import Service

/// A separate process that serves one request at a time. If the process crashes or is ended, only that request fails.
final class WorkerProcess: Sendable {
  private struct State {
    /// The status with which the process ended. Nil while it runs.
    var status: Int32?
  }

  /// The process identifier (PID).
  let identifier: pid_t
  private let stream: WorkerStream
  private let state = Locked(State())

  /// Starts a program as a worker.
  init(_ program: URL) throws {
    var identifier: pid_t = 0
    let socket = cp_start(program.path, StudioWorker.command, &identifier)
    guard socket >= 0 else {
      throw HTTPError(
        500, "no_worker",
        "The process for uploaded models could not be started from '\(program.lastPathComponent)':"
          + " \(String(cString: strerror(errno))).")
    }
    self.identifier = identifier
    stream = WorkerStream(socket: socket)
  }

  deinit {
    end()
    close(stream.socket)
  }

  /// Kills the process. May be called from any thread. Callers that wait for an answer of the process get an error.
  func kill() {
    state.withLock { state in
      // The system does not reuse the identifier before `waitpid` has returned it.
      if state.status == nil { Glibc.kill(identifier, SIGKILL) }
    }
  }

  /// Ends the process and waits until it is gone.
  func end() {
    kill()
    state.withLock { state in
      guard state.status == nil else { return }
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
      state.status = status
    }
  }

  /// Whether the process has ended.
  var hasEnded: Bool {
    state.withLock { state in
      if state.status != nil { return true }
      var status: Int32 = 0
      guard waitpid(identifier, &status, WNOHANG) == identifier else { return false }
      state.status = status
      return true
    }
  }

  /// How the process ended, in words for messages, such as `signal 11`.
  var ending: String {
    guard let status = state.withLock({ $0.status }) else { return "it runs" }
    return status & 127 != 0 ? "signal \(status & 127)" : "exit code \(status >> 8 & 255)"
  }

  /// The resident memory of the process in bytes. It is 0 if the process has ended.
  var residentBytes: Int {
    let words = (try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8))?
      .split(separator: " ")
    return (words.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
  }

  /// Sends a request and waits for the answer, on a thread that may block.
  ///
  /// - Throws: ``HTTPError`` if the request is refused, `WorkerStream.Failure` if the process has ended or the deadline
  ///   has passed.
  func answer(
    _ request: WorkerRequest, _ files: [Data], within time: Duration?,
    progress: (Double) -> Void
  ) throws -> ModelResponse {
    let deadline: ContinuousClock.Instant? = time.map { .now + $0 }
    try stream.send(request, files)
    let most = request.pixels.multipliedReportingOverflow(by: 8).partialValue + (256 << 20)
    while true {
      var (reply, parts) = try stream.receive(WorkerReply.self, most: most, until: deadline)
      switch reply {
      case .progress(let share): progress(share)
      case .answer:
        return ModelResponse(
          json: parts.first ?? Data(), binary: parts.count > 1 ? parts[1] : nil)
      case .painting(let width, let height, let paintedWidth, let paintedHeight):
        return ModelResponse(
          try PaintedPicture(
            width: width, height: height,
            paintedSize: PictureSize(width: paintedWidth, height: paintedHeight), taking: &parts))
      case .refusal(let status, let code, let message):
        throw HTTPError((400...599).contains(status) ? status : 500, code, message)
      }
    }
  }
}
