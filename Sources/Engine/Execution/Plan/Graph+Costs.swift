import Graph
import Operators

extension Graph {
  /// Returns, for each node name, the estimated cost of all nodes with this name. The unit is one byte of memory
  /// traffic: a cost of *n* means as much time as moving *n* bytes takes. A node in a region (a loop's body or a
  /// branch) counts once. Types must be inferred. A value without a type costs nothing.
  public func estimatedCosts() -> [String: Double] {
    var costs: [String: Double] = [:]
    addCosts(to: &costs)
    return costs
  }

  private func addCosts(to costs: inout [String: Double]) {
    for node in nodes {
      costs[node.name, default: 0] += cost(of: node)
      for region in node.regions {
        var inner: Graph = region.graph
        let arguments: ArraySlice<ValueID> = node.inputs.suffix(inner.inputs.count)
        guard arguments.count == inner.inputs.count,
          (try? inner.inferTypes(from: arguments.map { self[$0].type })) != nil
        else { continue }
        inner.addCosts(to: &costs)
      }
    }
  }

  /// The rough number of multiplications and additions that take as long as one byte of memory traffic. It is based on
  /// 100 GFLOP/s and 25 GB/s.
  private static let operationsPerByte = 4.0

  private func cost(of node: Node) -> Double {
    func count(_ value: ValueID) -> Double { Double(self[value].type?.shape.count ?? 0) }
    let bytes: Double = (node.inputs + node.outputs).reduce(0) { sum, value in
      sum + count(value) * Double(self[value].type?.element.byteCount ?? 0)
    }
    let made: Double = node.outputs.reduce(0) { $0 + count($1) }
    let operations: Double = made * multiplyAddsPerElement(node, count) * 2
    return max(bytes, operations / Self.operationsPerByte)
  }

  /// Returns the number of multiply-adds per element of a node's output.
  private func multiplyAddsPerElement(_ node: Node, _ count: (ValueID) -> Double) -> Double {
    func shape(_ input: Int) -> Shape? {
      node.inputs.indices.contains(input) ? self[node.inputs[input]].type?.shape : nil
    }
    switch node.operation {
    case is ConvolutionOperator, is FusedConvolution, is Convolution3DOperator,
      is InnerProductOperator, is FusedProduct:
      // The number of weights of one output channel. Output channels are the first axis of the weights.
      guard let weights = shape(1), weights.rank > 0, weights[0] > 0 else { return 1 }
      return Double(weights.count) / Double(weights[0])
    case let product as BatchedMatMulOperator:
      guard let left = shape(0), left.rank > 0 else { return 1 }
      return Double(product.transposesLeft && left.rank > 1 ? left[-2] : left[-1])
    case let attention as FusedAttention:
      guard let extents = try? attention.extents((0..<node.inputs.count).compactMap(shape)),
        extents.columns > 0
      else { return 1 }
      // One score per key is shared by all columns.
      return Double(extents.keys) * (1 + Double(extents.width) / Double(extents.columns))
    case is SimpleRecurrentOperator, is GRUOperator, is UniDirectionalLSTMOperator,
      is BiDirectionalLSTMOperator:
      guard let sequence = shape(0), sequence.rank > 0 else { return 1 }
      let weights: Double = node.inputs.filter { self[$0].constant != nil }.reduce(0) {
        $0 + count($1)
      }
      let made: Double = max(1, node.outputs.first.map(count) ?? 1)
      return weights * Double(sequence[0]) / made
    default: return 1
    }
  }
}
