import CAtelierHeader
import CoreML
import Foundation

@c @implementation
public func atelier_model_structure(
  _ path: UnsafePointer<CChar>?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(json, "json")
    let url = URL(fileURLWithPath: String(cString: try nonNull(path, "path")))
    target.pointee = strdup(try structureAsJSON(MLModelStructure(contentsOf: url), plan: nil))
  }
}

@c @implementation
public func atelier_model_plan(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<atelier_options>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(json, "json")
    let url = URL(fileURLWithPath: String(cString: try nonNull(path, "path")))
    let plan = try MLComputePlan(
      contentsOf: url, configuration: try MLModelConfiguration(options))
    target.pointee = strdup(try structureAsJSON(plan.modelStructure, plan: plan))
  }
}

/// Returns a model's structure as JSON in the format that the header atelier.h documents. If `plan` is not nil, the
/// JSON also contains two facts for each layer or operation: whether predictions compute it, and its weight in the
/// plan.
private func structureAsJSON(_ structure: MLModelStructure, plan: MLComputePlan?) throws -> String {
  let data: Data = try JSONSerialization.data(
    withJSONObject: StructureWriter(plan: plan).json(structure),
    options: [.sortedKeys, .withoutEscapingSlashes])
  return String(decoding: data, as: UTF8.self)
}

private struct StructureWriter {
  let plan: MLComputePlan?

  func json(_ structure: MLModelStructure) -> [String: Any] {
    switch structure {
    case .neuralNetwork(let network): return ["layers": network.layers.map(json)]
    case .program(let program):
      return [
        "functions": program.functions.mapValues {
          ["inputs": $0.inputs.map(\.name), "block": json($0.block)] as [String: Any]
        }
      ]
    case .pipeline(let pipeline):
      return ["names": pipeline.subModelNames, "models": pipeline.subModels.map(json)]
    case .unsupported: return [:]
    }
  }

  private func json(_ layer: MLModelStructure.NeuralNetwork.Layer) -> [String: Any] {
    part(layer.number).merging([
      "name": layer.name, "type": layer.type, "inputs": layer.inputNames,
      "outputs": layer.outputNames,
    ]) { first, _ in first }
  }

  private func json(_ block: MLModelStructure.Program.Block) -> [String: Any] {
    [
      "inputs": block.inputs.map(\.name), "outputs": block.outputNames,
      "operations": block.operations.map(json),
    ]
  }

  private func json(_ operation: MLModelStructure.Program.Operation) -> [String: Any] {
    let inputs: [String: [Any]] = operation.inputs.mapValues { argument in
      argument.bindings.map { binding -> Any in
        if case .name(let name) = binding { return name }
        return NSNull()
      }
    }
    return part(operation.number).merging([
      "operator": operation.operatorName, "inputs": inputs,
      "outputs": operation.outputs.map(\.name), "blocks": operation.blocks.map(json),
    ]) { first, _ in first }
  }

  private func part(_ number: Int) -> [String: Any] {
    var json: [String: Any] = ["number": number]
    if let plan {
      json["isComputed"] = plan.isComputed(number)
      json["weight"] = plan.weight(ofPart: number)
    }
    return json
  }
}
