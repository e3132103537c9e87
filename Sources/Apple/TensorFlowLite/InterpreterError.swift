import Foundation

/// Why an interpreter cannot do what it was asked for.
public enum InterpreterError: Error, Equatable, Hashable {
  /// There is no tensor of the number.
  case invalidTensorIndex(index: Int, maxIndex: Int)
  /// Another number of bytes than the tensor has.
  case invalidTensorDataCount(provided: Int, required: Int)
  /// The tensor's elements are of a type that this interface does not have.
  case invalidTensorDataType
  /// The file cannot be opened.
  case failedToLoadModel
  /// The model cannot be run.
  case failedToCreateInterpreter
  /// The input cannot have that shape.
  case failedToResizeInputTensor(index: Int)
  /// The bytes could not be taken.
  case failedToCopyDataToInputTensor
  /// The model cannot be run with its inputs' shapes.
  case failedToAllocateTensors
  /// ``Interpreter/allocateTensors()`` comes first.
  case allocateTensorsRequired
  /// ``Interpreter/invoke()`` comes first.
  case invokeInterpreterRequired
  /// What is wrong with the model or with its run, in a sentence.
  case tensorFlowLiteError(String)
}

extension InterpreterError: LocalizedError {
  /// What is wrong, in a sentence.
  public var errorDescription: String? {
    switch self {
    case .invalidTensorIndex(let index, let last):
      "There is no tensor \(index), expected 0 to \(last)."
    case .invalidTensorDataCount(let provided, let required):
      "\(provided) bytes were given, expected \(required), the size of the tensor."
    case .invalidTensorDataType: "The tensor's elements are of a type that cannot be handed out."
    case .failedToLoadModel: "The model's file cannot be opened. Check the path."
    case .failedToCreateInterpreter: "The model cannot be run."
    case .failedToResizeInputTensor(let index): "Input \(index) cannot have that shape."
    case .failedToCopyDataToInputTensor: "The bytes could not be copied to the input."
    case .failedToAllocateTensors: "The model cannot be run with inputs of these shapes."
    case .allocateTensorsRequired: "allocateTensors() has to be called first."
    case .invokeInterpreterRequired: "invoke() has to be called first."
    case .tensorFlowLiteError(let sentence): sentence
    }
  }
}

extension InterpreterError: CustomStringConvertible {
  /// What is wrong, in a sentence.
  public var description: String { errorDescription ?? "" }
}
