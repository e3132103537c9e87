import Graph
import Operators

/// The operation that turns a program into a classifier.
enum ClassificationReaders {
  static let all: [OperationReader] = [
    OperationReader("classify", as: [], .exact) { operation in
      let probabilities = try operation.tensor("probabilities")
      let classes: ProgramGraph.Classes
      let count: Int
      switch try operation.value("classes") {
      case .strings(let strings):
        (classes, count) = (.strings(strings), strings.count)
      case .tensor(let tensor):
        guard let numbers = tensor.constant, tensor.element.isInteger else {
          throw operation.invalid(
            "'classes' holds \(tensor.element) numbers, expected int64 or strings.")
        }
        let labels: [Int64] = try numbers.tensor().converted(to: .int64).integerValues
        (classes, count) = (.numbers(labels), labels.count)
      default: throw operation.invalid("'classes' is not a list of int64 or strings.")
      }
      let known: [Int] = (probabilities.extents ?? []).compactMap { $0 }
      if known.count == probabilities.rank, Shape(known).count != count {
        throw operation.invalid(
          "there are \(Shape(known).count) probabilities and \(count) classes, expected equal counts."
        )
      }
      operation.builder.classification = ProgramClassification(
        classes: classes, probabilities: operation.real(probabilities),
        outputs: operation.message.outputs.map(\.name))
      // The label and the dictionary of probabilities are not tensors. The code that runs the program computes them.
      return operation.message.outputs.map { _ in .same(.strings([])) }
    }
  ]
}
