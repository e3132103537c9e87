import Foundation
import ModelFormat

/// The support vectors of a model, and the function that compares an input with each of them.
struct Kernel: Sendable {
  private enum Function: Sendable {
    case linear
    case radial(gamma: Double)
    case polynomial(degree: Int32, offset: Double, gamma: Double)
    case sigmoid(gamma: Double, offset: Double)
  }

  /// A support vector: all its elements, or only the elements other than 0, with their positions.
  private enum Vector: Sendable {
    case dense([Double])
    case sparse([(position: Int, value: Double)])
  }

  private let function: Function
  private let vectors: [Vector]
  /// The number of elements of every dense vector. Nil for sparse vectors.
  private let denseCount: Int?
  /// The least number of elements of an input.
  private let neededCount: Int

  /// The number of support vectors.
  var count: Int { vectors.count }

  init(_ kernel: Spec.Kernel?, dense: Spec.DenseSupportVectors, model: String) throws {
    function = try Kernel.function(kernel, model: model)
    vectors = dense.vectors.map { .dense($0.values) }
    let length: Int = dense.vectors.first?.values.count ?? 0
    if let odd = dense.vectors.first(where: { $0.values.count != length }) {
      throw ClassicalModelError.model(
        "The \(model) has support vectors of \(length) and of \(odd.values.count) elements; all "
          + "must be equally long.")
    }
    denseCount = dense.vectors.isEmpty ? nil : length
    neededCount = length
  }

  init(_ kernel: Spec.Kernel?, sparse: Spec.SparseSupportVectors, model: String) throws {
    function = try Kernel.function(kernel, model: model)
    denseCount = nil
    var needed: Int = 0
    vectors = try sparse.vectors.map { vector in
      .sparse(
        try vector.nodes.map { node in
          // Indices count from 1, as in libsvm's files.
          guard node.index >= 1 else {
            throw ClassicalModelError.model(
              "A support vector of the \(model) has the index \(node.index); they count from 1.")
          }
          needed = max(needed, Int(node.index))
          return (Int(node.index) - 1, node.value)
        })
    }
    neededCount = needed
  }

  private static func function(_ kernel: Spec.Kernel?, model: String) throws -> Function {
    switch kernel?.kernel {
    case .linearKernel?: return .linear
    case .rbfKernel(let rbf)?: return .radial(gamma: rbf.gamma)
    case .polyKernel(let poly)?:
      return .polynomial(degree: poly.degree, offset: poly.c, gamma: poly.gamma)
    case .sigmoidKernel(let sigmoid)?: return .sigmoid(gamma: sigmoid.gamma, offset: sigmoid.c)
    case nil:
      throw ClassicalModelError.model("The \(model) has no kernel. The model may be damaged.")
    }
  }

  /// Returns the values of the kernel function for an input and each support vector.
  func values(for input: [Double], model: String) throws -> [Double] {
    let fits: Bool =
      denseCount.map { $0 == input.count } ?? (input.count >= neededCount)
    guard fits else {
      throw ClassicalModelError.input(
        "The \(model) has support vectors of \(neededCount) elements, but its input has "
          + "\(input.count) values.")
    }
    return vectors.map { vector in
      switch function {
      case .linear: return product(vector, input)
      case .radial(let gamma): return exp(-gamma * squaredDistance(vector, input))
      case .polynomial(let degree, let offset, let gamma):
        return pow(gamma * product(vector, input) + offset, Double(degree))
      case .sigmoid(let gamma, let offset):
        return tanh(gamma * product(vector, input) + offset)
      }
    }
  }

  private func product(_ vector: Vector, _ input: [Double]) -> Double {
    var sum: Double = 0
    switch vector {
    case .dense(let values):
      for index in values.indices { sum += values[index] * input[index] }
    case .sparse(let nodes):
      for node in nodes { sum += node.value * input[node.position] }
    }
    return sum
  }

  private func squaredDistance(_ vector: Vector, _ input: [Double]) -> Double {
    var differences: [Double] = input
    switch vector {
    case .dense(let values):
      for index in values.indices { differences[index] -= values[index] }
    case .sparse(let nodes):
      for node in nodes { differences[node.position] -= node.value }
    }
    return differences.reduce(0) { $0 + $1 * $1 }
  }
}
