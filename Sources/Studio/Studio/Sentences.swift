import CoreML
import CreateML
import Engine
import FFmpeg
import Foundation
import Imaging
import ModelFormat
import ModelTools
import Platform
import Service
import StyleTransfer

/// Returns an error as clients see it: a status, and the error's sentence.
func httpError(of error: any Error) -> HTTPError {
  switch error {
  case let error as HTTPError: return error
  case is CancellationError: return cancelled
  case let error as MLModelError:
    if error.code == .predictionCancelled { return cancelled }
    return HTTPError(422, "model", error.localizedDescription)
  case let error as ImagingError: return HTTPError(422, "picture", error.message)
  case let error as StyleTransferError: return HTTPError(422, "style", error.message)
  case let error as ModelToolsError: return HTTPError(422, "model", "\(error)")
  case let error as EngineError: return HTTPError(422, "model", "\(error)")
  case let error as ModelFormatError: return HTTPError(422, "model", "\(error)")
  case let error as MLCreateError: return HTTPError(422, "training", "\(error)")
  case let error as FilmError: return HTTPError(status(of: error.code), "film", error.message)
  default:
    return HTTPError(
      500, "failed", "The studio failed: \(ErrorSentence.reason(of: error)).")
  }
}

private func status(of code: FilmError.Code) -> Int {
  switch code {
  case .program: 409
  case .film: 422
  case .settings: 400
  case .output, .memory: 507
  }
}

extension HTTPError {
  /// The error for a prediction without inputs.
  static let noInputs = HTTPError(400, "bad_json", "Expected a JSON object {\"inputs\": {…}}.")
}

private let cancelled = HTTPError(499, "cancelled", "The work was cancelled.")

/// Runs blocking work on a thread of a dispatch queue, and waits asynchronously for its result.
func offload<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global(qos: .userInitiated).async {
      continuation.resume(with: Swift.Result { try work() })
    }
  }
}

/// Blocks the calling thread until asynchronous work has ended, and returns its result.
func waited<Result: Sendable>(
  _ work: @escaping @Sendable () async throws -> Result
) throws -> Result {
  let outcome = Locked<Swift.Result<Result, any Error>?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task {
    let made: Swift.Result<Result, any Error>
    do { made = .success(try await work()) } catch { made = .failure(error) }
    outcome.withLock { $0 = made }
    done.signal()
  }
  done.wait()
  guard let made = outcome.withLock({ $0 }) else { throw CancellationError() }
  return try made.get()
}

/// Returns an identifier that cannot be guessed: 80 random bits as letters and digits.
func makeIdentifier(_ prefix: String) -> String {
  let letters = Array("abcdefghjkmnpqrstuvwxyz23456789x")
  return prefix + "-" + String((0..<16).map { _ in letters[Int.random(in: 0..<32)] })
}
