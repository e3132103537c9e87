import ModelFormat

extension MLModelStructure {
  /// An ML Program.
  public struct Program: Sendable {
    /// The functions by their names.
    public let functions: [String: Function]

    /// A function.
    public struct Function: Sendable {
      /// What it takes.
      public let inputs: [NamedValueType]
      /// What it runs: the block for the operation set that it is written in.
      public let block: Block
    }

    /// Operations, one after another.
    public struct Block: Sendable {
      /// What it takes.
      public let inputs: [NamedValueType]
      /// The names of what it gives.
      public let outputNames: [String]
      /// The operations in their order.
      public let operations: [Operation]
    }

    /// An operation.
    public struct Operation: Sendable {
      /// What it computes: `conv`.
      public let operatorName: String
      /// What it reads, by the names of its parameters.
      public let inputs: [String: Argument]
      /// What it makes.
      public let outputs: [NamedValueType]
      /// The blocks that it may run: the sides of a branch, the condition and the body of a loop.
      public let blocks: [Block]
      /// The name that the program gives the operation.
      let name: String
      /// Its number among the parts of the model.
      package let number: Int
    }

    /// What is given for a parameter of an operation.
    public struct Argument: Sendable {
      /// One binding, or those of a list.
      public let bindings: [Binding]
    }

    /// A value by its name or as it is.
    public enum Binding: Sendable {
      /// The value that an operation or the caller has given a name.
      case name(String)
      /// A value that the program states.
      case value(Value)
    }

    /// A value that the program states.
    public struct Value: Sendable {
      let message: Spec.MILSpec.Value
    }

    /// The type of a value.
    public struct ValueType: Sendable {
      let message: Spec.MILSpec.ValueType
    }

    /// A name and the type of the value that it stands for.
    public struct NamedValueType: Sendable {
      /// The name.
      public let name: String
      /// The type.
      public let type: ValueType
    }
  }
}
