import ModelFormat

extension MLModelStructure {
  /// An ML Program.
  public struct Program: Sendable {
    /// The functions by name.
    public let functions: [String: Function]

    /// A function of a program.
    public struct Function: Sendable {
      /// The inputs of the function.
      public let inputs: [NamedValueType]
      /// The block with the function's operations. A file may have one block for each operation set; this is the block
      /// for the operation set that the function uses.
      public let block: Block
    }

    /// A sequence of operations.
    public struct Block: Sendable {
      /// The inputs of the block.
      public let inputs: [NamedValueType]
      /// The names of the block's outputs.
      public let outputNames: [String]
      /// The operations in order.
      public let operations: [Operation]
    }

    /// An operation.
    public struct Operation: Sendable {
      /// The operator, such as `conv`.
      public let operatorName: String
      /// The inputs by parameter name.
      public let inputs: [String: Argument]
      /// The outputs of the operation.
      public let outputs: [NamedValueType]
      /// The nested blocks: the two cases of a branch, or the condition and the body of a loop.
      public let blocks: [Block]
      /// The name of the operation in the program.
      let name: String
      /// The number of the operation, counted over all layers and operations of the model.
      package let number: Int
    }

    /// The argument that an operation gets for one of its parameters.
    public struct Argument: Sendable {
      /// The bindings of the argument. A list has a binding for each element, and any other argument has one binding.
      public let bindings: [Binding]
    }

    /// A reference to a value by its name, or a constant value.
    public enum Binding: Sendable {
      /// The name of an operation's output, or of an input of a function or block.
      case name(String)
      /// A constant value in the program.
      case value(Value)
    }

    /// A constant value in the program.
    public struct Value: Sendable {
      let message: Spec.MILSpec.Value
    }

    /// The type of a value.
    public struct ValueType: Sendable {
      let message: Spec.MILSpec.ValueType
    }

    /// A name with the type of its value.
    public struct NamedValueType: Sendable {
      /// The name.
      public let name: String
      /// The type.
      public let type: ValueType
    }
  }
}
