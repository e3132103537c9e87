import Foundation

/// An error of an interpreter.
public enum InterpreterError: Error, Equatable, Hashable {
  /// There is no tensor with the given index.
  case invalidTensorIndex(index: Int, maxIndex: Int)
  /// The number of bytes differs from the tensor's size.
  case invalidTensorDataCount(provided: Int, required: Int)
  /// The tensor has an element type that this interface does not have.
  case invalidTensorDataType
  /// The model file cannot be opened.
  case failedToLoadModel
  /// The model cannot be run.
  case failedToCreateInterpreter
  /// The input cannot have the requested shape.
  case failedToResizeInputTensor(index: Int)
  /// The bytes could not be copied to the input.
  case failedToCopyDataToInputTensor
  /// The model cannot be run with the shapes of its inputs.
  case failedToAllocateTensors
  /// The call needs ``Interpreter/allocateTensors()`` first.
  case allocateTensorsRequired
  /// The call needs ``Interpreter/invoke()`` first.
  case invokeInterpreterRequired
  /// An error of the model or of its computation for which there is no other case, with a message.
  case tensorFlowLiteError(String)
}

extension InterpreterError: LocalizedError {
  /// The message, one sentence.
  public var errorDescription: String? {
    switch self {
    case .invalidTensorIndex(let index, let last):
      "There is no tensor \(index), expected 0 to \(last)."
    case .invalidTensorDataCount(let provided, let required):
      "\(provided) bytes were given, expected \(required), the size of the tensor."
    case .invalidTensorDataType: "The tensor has an element type that this interface does not have."
    case .failedToLoadModel: "The model's file cannot be opened. Check the path."
    case .failedToCreateInterpreter: "The model cannot be run."
    case .failedToResizeInputTensor(let index): "Input \(index) cannot have this shape."
    case .failedToCopyDataToInputTensor: "The bytes could not be copied to the input."
    case .failedToAllocateTensors: "The model cannot be run with inputs of these shapes."
    case .allocateTensorsRequired: "allocateTensors() must be called first."
    case .invokeInterpreterRequired: "invoke() must be called first."
    case .tensorFlowLiteError(let sentence): sentence
    }
  }
}

extension InterpreterError: CustomStringConvertible {
  /// The message, one sentence.
  public var description: String { errorDescription ?? "" }
}
