import Graph
import Operators

/// Sequences of tensors. The graph has no sequences. The reader replaces a sequence by its tensors. So the number of
/// tensors, and the index that a node selects, must follow from constants and shapes.
enum SequenceReaders {
  static let all: [NodeReader] = [
    NodeReader(sequences: "SequenceConstruct", as: []) { [.sequence(try $0.tensors())] },
    NodeReader(sequences: "SequenceEmpty", as: []) { _ in [.sequence([])] },
    NodeReader(sequences: "SequenceInsert", as: []) { node in
      var tensors: [ONNXTensor] = try node.sequence(0)
      let count: Int = tensors.count
      tensors.insert(try node.tensor(1), at: try node.index(2, in: count, upTo: count) ?? count)
      return [.sequence(tensors)]
    },
    NodeReader(sequences: "SequenceErase", as: []) { node in
      var tensors: [ONNXTensor] = try node.sequence(0)
      let last: Int = tensors.count - 1
      tensors.remove(at: try node.index(1, in: tensors.count, upTo: last) ?? last)
      return [.sequence(tensors)]
    },
    NodeReader("SequenceAt", as: [], .exact) { node in
      let tensors: [ONNXTensor] = try node.sequence(0)
      guard let index = try node.index(1, in: tensors.count, upTo: tensors.count - 1) else {
        throw node.invalid("input 2 is missing.")
      }
      return [tensors[index]]
    },
    NodeReader("SequenceLength", as: [], .exact) { node in
      [ONNXTensor(node.constant(Double(try node.sequence(0).count)), .int64)]
    },
    NodeReader("ConcatFromSequence", as: [ConcatNDOperator.self], .exact) { node in
      let tensors: [ONNXTensor] = try node.sequence(0)
      guard let first = tensors.first else { throw node.invalid("the sequence is empty.") }
      let isNew: Bool = node.flag("new_axis")
      let rank: Int = try node.rank(first) + (isNew ? 1 : 0)
      let axis: Int = try node.axis(node.int("axis"), rank: rank)
      let parts: [Graph.ValueID] = try tensors.map {
        isNew ? try node.add(ExpandDimsOperator(axes: [axis]), $0.id) : $0.id
      }
      guard parts.count > 1 else { return [ONNXTensor(parts[0], first.element)] }
      return [ONNXTensor(try node.add(ConcatNDOperator(axis: axis), parts), first.element)]
    },
    NodeReader(sequences: "SplitToSequence", as: [SplitNDOperator.self, SliceDynamicOperator.self])
    {
      [.sequence(try $0.parts())]
    },
  ]
}

extension ONNXNode {
  /// Returns the index that an input states, into a sequence of `count` tensors. The result is from 0 to `last`. A
  /// negative index in the model counts from the end of the sequence. Nil if the input is omitted.
  fileprivate func index(_ position: Int, in count: Int, upTo last: Int) throws -> Int? {
    guard last >= 0 else { throw invalid("the sequence is empty.") }
    guard let numbers = try knownInts(at: position, "the index into the sequence") else {
      return nil
    }
    let number: Int = numbers.first ?? 0
    let index: Int = number < 0 ? number + count : number
    guard (0...last).contains(index) else {
      throw invalid("the index is \(number), expected \(-count) to \(last).")
    }
    return index
  }

  /// Splits a tensor along an axis into a sequence of tensors.
  fileprivate func parts() throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    let axis: Int = try axis(int("axis", or: 0), rank: extents.count)
    let given: [Int]? = try ints(at: 1)
    let isList: Bool = try optional(1).map { try rank($0) > 0 } ?? false
    if isList, given == nil {
      // The sizes are computed at run time. But the length of their list must be known, because it is the number of
      // tensors.
      let list: ONNXTensor = try tensor(1)
      guard let count = try self.extents(list)[0] else {
        throw unknownExtent(ofAxis: 0, of: "the list of sizes")
      }
      guard (1...1 << 16).contains(count) else {
        throw invalid("the list has \(count) sizes, expected 1 to \(1 << 16).")
      }
      return try parts(of: x, axis: axis, ends: ends(ofSizes: integer(list), count: count))
    }
    if try given == nil && optional(1) != nil {
      throw unsupported(
        "the size of the parts decides how many tensors there are, so it must be known when the file is read; make it a constant, or state the shape of the model's input (`--shape NAME=…`)."
      )
    }
    let sizes: [Int]
    if let given, isList {
      guard given.allSatisfy({ $0 >= 0 }),
        given.saturatingSum == extents[axis] ?? given.saturatingSum
      else {
        throw invalid("the sizes are \(given), expected a sum of \(extents[axis] ?? 0).")
      }
      sizes = given
    } else {
      // The extent of the axis determines the number of tensors.
      guard let extent = extents[axis] else {
        throw unknownExtent(ofAxis: axis, of: "the input")
      }
      let each: Int = given?.first ?? 1
      guard each > 0, extent > 0, (extent + each - 1) / each <= 1 << 16 else {
        throw invalid("\(extent) elements are split into parts of \(each), expected 1 or more.")
      }
      sizes = stride(from: 0, to: extent, by: each).map { min(each, extent - $0) }
    }
    guard !sizes.isEmpty else { throw invalid("the split has no parts.") }
    let made: [ONNXTensor] = try sizes.count == 1 ? [x] : parts(of: x, axis: axis, sizes: sizes)
    guard given == nil, !flag("keepdims", or: true) else { return made }
    return try made.map {
      ONNXTensor(try add(SqueezeOperator(axes: [axis]), $0.id), x.element)
    }
  }
}
