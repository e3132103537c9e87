import Graph
import Operators

/// Tensors joined and parted along an axis.
enum JoiningReaders {
  static let all: [NodeReader] = [
    NodeReader("Concat", as: [ConcatNDOperator.self], .exact) { node in
      let tensors: [ONNXTensor] = try node.tensors()
      let axis: Int = try node.axis(node.int("axis"), rank: node.rank(tensors[0]))
      guard tensors.count > 1 else { return tensors }
      return [
        ONNXTensor(
          try node.add(ConcatNDOperator(axis: axis), tensors.map(\.id)), tensors[0].element)
      ]
    },
    NodeReader("Split", as: [SplitNDOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let extents: [Int?] = try node.extents(x)
      let axis: Int = try node.axis(node.int("axis", or: 0), rank: extents.count)
      let given: [Int]? =
        node.version < 13 ? node.ints("split") : try node.knownInts(at: 1, "the list of sizes")
      let count: Int = node.outputCount
      let parts: SplitNDOperator.Parts
      if let given {
        guard given.count == count, given.allSatisfy({ $0 >= 0 }) else {
          throw node.invalid("the sizes are \(given), expected one for each of \(count) outputs.")
        }
        parts = .sizes(given)
      } else if let extent = extents[axis], count > 0, extent % count != 0 {
        // Parts are as large as the first; the last is what is left.
        let size: Int = (extent + count - 1) / count
        parts = .sizes((0..<count).map { max(0, min(size, extent - $0 * size)) })
      } else {
        guard count > 0, node.int("num_outputs", or: count) == count else {
          throw node.invalid(
            "'num_outputs' is \(node.int("num_outputs", or: 0)), but \(count) outputs are named.")
        }
        parts = .count(count)
      }
      if count == 1 { return [x] }
      let made = try node.add(SplitNDOperator(axis: axis, parts: parts), [x.id], outputs: count)
      return made.map { ONNXTensor($0, x.element) }
    },
  ]
}
