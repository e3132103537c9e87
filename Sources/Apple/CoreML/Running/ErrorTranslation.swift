import ClassicalModels
import Engine
import Imaging
import ModelFormat

/// Calls `body`. If `body` throws an error of a module on which CoreML depends, converts the error to ``MLModelError``.
func translatingErrors<R>(_ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch let error as MLModelError {
    throw error
  } catch let error as EngineError {
    throw MLModelError(error)
  } catch let error as ClassicalModelError {
    throw MLModelError(
      error.code == .invalidModel ? .io : .featureType, error.message, cause: error)
  } catch let error as ModelFormatError {
    throw MLModelError(.io, error.message, cause: error.cause ?? error)
  } catch let error as ImagingError {
    throw MLModelError(.generic, error.message, cause: error)
  }
}

extension MLModelError {
  init(_ error: EngineError) {
    let code: Code
    switch error.code {
    case .invalidModel: code = .io
    case .invalidInput: code = .featureType
    case .customLayer: code = .customLayer
    case .cancelled: code = .predictionCancelled
    case .unsupported, .invalidValue, .outOfMemory, .backend, .timedOut: code = .generic
    }
    self.init(code, error.message, cause: error)
  }
}
