import CKernels
import Testing

/// A pointwise program over row-major inputs. An input axis with extent 1 is broadcast.
final class Program {
  /// The type and the shape of an input. The shape has as many axes as the program.
  struct Input {
    let type: ck_type
    let shape: [Int]

    init(_ type: ck_type, _ shape: [Int]) { (self.type, self.shape) = (type, shape) }

    /// The strides of the input in elements. Broadcast axes have the stride 0.
    var strides: [Int] {
      var stride = 1
      return shape.reversed().map { extent in
        defer { stride *= extent }
        return extent == 1 ? 0 : stride
      }.reversed()
    }

    /// Finds the element of this input from which the output element at `index` is computed. Returns its position in
    /// the input's memory, in elements.
    func position(of index: Int, in output: [Int]) -> Int {
      var rest = index
      var position = 0
      for (extent, stride) in zip(output, strides).reversed() {
        position += rest % extent * stride
        rest /= extent
      }
      return position
    }
  }

  private let handle: OpaquePointer
  private let count: Int
  private let output: ck_type

  init(
    _ shape: [Int], _ inputs: [Input], _ operations: [ck_operation], output: ck_type = CK_F32
  ) throws {
    var description = ck_program_description()
    description.rank = Int32(shape.count)
    withUnsafeMutableBytes(of: &description.dimensions) { bytes in
      for (axis, extent) in shape.enumerated() {
        bytes.storeBytes(of: Int64(extent), toByteOffset: axis * 8, as: Int64.self)
      }
    }
    description.input_count = Int32(inputs.count)
    withUnsafeMutableBytes(of: &description.inputs) { bytes in
      let target = bytes.assumingMemoryBound(to: ck_input.self)
      for (index, input) in inputs.enumerated() {
        target[index].type = input.type
        withUnsafeMutableBytes(of: &target[index].strides) { bytes in
          for (axis, stride) in input.strides.enumerated() {
            bytes.storeBytes(of: Int64(stride), toByteOffset: axis * 8, as: Int64.self)
          }
        }
      }
    }
    description.output_type = output
    description.operation_count = Int32(operations.count)
    withUnsafeMutableBytes(of: &description.operations) { bytes in
      let target = bytes.assumingMemoryBound(to: ck_operation.self)
      for (index, operation) in operations.enumerated() { target[index] = operation }
    }
    handle = try #require(ck_program_create(&description))
    count = shape.reduce(1, *)
    self.output = output
  }

  deinit { ck_program_destroy(handle) }

  func run(_ inputs: [Values], into result: Values) {
    let pointers: [UnsafeRawPointer?] = inputs.map { UnsafeRawPointer($0.pointer) }
    #expect(ck_program_run(handle, pointers, result.pointer) == 0)
  }

  func callAsFunction(_ inputs: [Values]) -> Values {
    let result = Values(output, count: count)
    run(inputs, into: result)
    return result
  }
}
