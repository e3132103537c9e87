import Graph
import Operators

/// Constants that are not compressed.
enum ConstantReaders {
  static let all: [OperationReader] = [
    OperationReader("const", as: [], .exact) { operation in
      guard let message = operation.message.attributes["val"] else {
        throw operation.invalid("the attribute 'val' is missing.")
      }
      return [.literal(try ProgramLiteral(message, in: operation.builder.context))]
    }
  ]
}
