import Arguments
import CoreML
import Film
import Foundation
import Imaging
import StyleTransfer

/// `atelier film`: paints films with a style network.
enum FilmCommand: Command {
  static let syntax = CommandSyntax(
    "film", summary: "Paints films with a style network, without flicker, and with their sound.",
    operands: [
      .init(
        "FILM", .atLeastOne,
        help: "Film files, folders of pictures, a camera (/dev/video0), or - for\n"
          + "raw frames on standard input.")
    ],
    options: [
      .init(
        "output", letter: "o", value: "PATH", isRequired: true,
        help: "The painted film (.mp4, .mov, .mkv, .webm, .avi, .gif, .apng,\n"
          + ".webp), a folder for pictures (or for several films), or - for\n"
          + "raw frames on standard output."),
      .init(
        "model", letter: "m", value: "MODEL",
        help: "A style network, in any format that `atelier convert` reads. If it\n"
          + "has several styles, --style chooses."),
      .init(
        "style", letter: "s", value: "NAME",
        help: "A style of the gallery, a mixture such as scream:0.6,great-wave:0.4,\n"
          + "or a picture file of any painting."),
      .init("lite", help: "The style's small network, for speed."),
      .init(
        "transition", value: "NAME",
        help: "The style into which the first one changes until the end of the\n"
          + "film; or both, as in scream→great-wave."),
      .init(
        "stability", value: "S",
        help: "From 0 (each frame is painted alone) to 1 (paintings follow the\n"
          + "film's motion as long as possible). Default: \(FilmSettings.defaultStability)."),
      .init("from", value: "T", help: "Begins at this time: seconds, M:SS or H:MM:SS."),
      .init("to", value: "T", help: "Ends at this time."),
      .init(
        "fps", value: "N",
        help: "Frames per second, such as 12 or 30000/1001 (default: the film's)."),
      .init("size", value: "N", help: "The longer side of the frames (default: the film's)."),
      .init(
        "paint-size", value: "N",
        help: "The longer side at which the network paints (default: at most\n"
          + "\(FilmSettings.defaultPaintedSide)). Larger frames are painted at half, a third, … of\n"
          + "their size, and enlarged along the film's edges."),
      .init(
        "codec", value: "NAME",
        help: "ffmpeg's encoder, such as libx265 (default: of the file's format)."),
      .init("crf", value: "N", help: "The encoder's constant quality; smaller is better."),
      .init(
        "strength", value: "S",
        help: "From 0 (the film) to 1 (the painting, default); mixes both."),
      .init("keep-colors", help: "Keeps the colours of the film."),
      .init(
        "own-colors", help: "Leaves the colours of a gallery style as its network makes them."),
      .init(
        "mask", value: "FILE",
        help: "A picture or a film that is white where the film is painted."),
      .init(
        "subject", value: "MODEL",
        help: "A model that finds what stays unchanged in each frame, or person\n"
          + "for persons (`atelier fetch vision` once)."),
      .init("invert", help: "Paints what --subject would leave, and leaves the rest."),
      .init(
        "softness", value: "N",
        help: "The width of the soft edges of --subject in pixels (default: a\n"
          + "hundredth of the longer side)."),
      .init(
        "still", value: "T",
        help: "Paints only the frame at this time, as a picture, to choose settings."),
      .init(
        "raw", value: "WxH",
        help: "The size of raw frames on standard input: red, green, blue bytes."),
      .init(
        "report", value: "FILE.json",
        help: "Writes how much the painting and the film change along the motion,\n"
          + "with a chart in the same name .svg."),
      .init(
        "segment", value: "N",
        help: "After how many frames the work so far is safe (default: 120)."),
      .init("json", help: "Prints a JSON array with an object for each film."),
      .init("verbose", help: "Prints how long the parts of the work took."),
    ] + ModelOptions.declarations.filter { $0.name != "verbose" },
    notes: """
      ffmpeg and ffprobe must be installed (apt-get install ffmpeg). All audio and subtitle tracks, chapters
      and texts are copied. A film that was interrupted in any way goes on with the same command.

      Examples: atelier film holiday.mp4 --style starry-night --lite -o painted.mp4
                atelier film holiday.mp4 --style scream --still 12.5 -o frame.jpg
                atelier film a.mp4 b.mkv --style great-wave --lite -o painted/
      """, pipesItself: true)

  static func run(_ arguments: ParsedArguments) throws {
    let options = FilmOptions(arguments)
    let settings: FilmSettings = try options.settings()
    let model = try ModelOptions(arguments)
    // Choose kernels in a fixed order, so that a film that another process continues has the same frames.
    model.configuration.measuresKernels = false
    let (style, lastStyle) = try options.styles(model)
    var output: String = arguments.value("output") ?? ""
    // If raw frames go to standard output, nothing else may be written there.
    if output == FilmJob.standardStream { Output.takeStandardOutput() }
    if let time = arguments.value("still") {
      guard arguments.operands.count == 1 else { throw UsageError("--still takes one film.") }
      let job = try FilmJob(
        arguments.operands[0], to: output + "/", style: style, settings: settings)
      let picture: Picture = try job.still(at: FilmOptions.seconds(time, "still"))
      try Interruption.protected { try picture.write(toFile: output) }
      guard !arguments.has("json") else {
        return try Output.json([
          StillReport(
            film: arguments.operands[0], time: try FilmOptions.seconds(time, "still"),
            painting: output, width: picture.width, height: picture.height)
        ])
      }
      Output.report("\(arguments.operands[0]) at \(time) → \(output) (\(picture.size))")
      return
    }
    let several: Bool = arguments.operands.count > 1
    if several {
      guard output != FilmJob.standardStream, URL(fileURLWithPath: output).pathExtension.isEmpty
      else {
        throw UsageError("-o must be a folder for \(arguments.operands.count) films.")
      }
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      if output.hasSuffix("/") { output.removeLast() }
    }
    var failures: Int = 0
    var reports: [Report] = []
    for (index, film) in arguments.operands.enumerated() {
      let target: String =
        several ? "\(output)/\(URL(fileURLWithPath: film).lastPathComponent)" : output
      do {
        reports.append(
          try paint(
            film, to: target, style, lastStyle, settings, arguments,
            place: several ? "[\(index + 1)/\(arguments.operands.count)] " : ""))
      } catch {
        guard several else { throw error }
        failures += 1
        Output.errorLine("atelier film: \(sentence(of: error))")
      }
    }
    if arguments.has("json") { try Output.json(reports) }
    if failures > 0 {
      throw CommandError("\(failures) of \(arguments.operands.count) films could not be painted.")
    }
  }

  /// A painted film for JSON.
  private struct Report: Encodable {
    let film: String
    let painting: String
    let frames: Int
    let width: Int
    let height: Int
    let seconds: Double
    /// Whether all frames are painted and the film is written.
    let isComplete: Bool
    let notes: [String]
    /// How much the painting changes along the motion. Only with a report.
    let changes: [Change]?
  }

  /// E_warp of a film and of its painting.
  private struct Change: Encodable {
    let framesApart: Int
    let film: Double
    let painting: Double
    /// E_warp of the painting divided by that of the film.
    let ratio: Double?
  }

  /// A painted frame for JSON.
  private struct StillReport: Encodable {
    let film: String
    /// The time of the frame in seconds.
    let time: Double
    let painting: String
    let width: Int
    let height: Int
  }

  private static func paint(
    _ film: String, to output: String, _ style: FrameStyle, _ lastStyle: FrameStyle?,
    _ settings: FilmSettings, _ arguments: ParsedArguments, place: String
  ) throws -> Report {
    let job = try FilmJob(
      film, to: output, style: style, changingTo: lastStyle, settings: settings)
    let display = FilmDisplay(place + film)
    let result: FilmResult = try Interruption.stoppable {
      defer { display.end() }
      let result: FilmResult = try job.run { progress in
        display.show(progress)
        return !Interruption.wantsToStop
      }
      display.end()
      // After a signal, the program ends when this closure returns, so the message is written here.
      if result.wasStopped, !result.isWritten {
        Output.errorLine(
          "\(result.frames) frames are finished; the same command goes on after them.")
      }
      return result
    }
    for note in result.notes { Output.errorLine(note) }
    let speed: Double = Double(result.painted) / max(1e-3, result.times.total)
    let line: String =
      "\(place)\(film) → \(output) (\(result.frames) frames, \(result.size), \(result.times.total.durationText),"
      + " \(speed.text(decimals: 1)) frames/s)"
    if !arguments.has("json") { Output.report(line) }
    if arguments.has("verbose") { Output.errorLine(FilmDisplay.timesText(result)) }
    var changes: [Change]?
    if let path = arguments.value("report") {
      let report = try FilmReport(of: film, painted: output, settings: settings)
      try report.write(to: path)
      if !arguments.has("json") { Output.report("\(report.summary) (\(path))") }
      changes = report.distances.map {
        Change(
          framesApart: $0.frames, film: $0.original, painting: $0.painting, ratio: $0.ratio)
      }
    }
    return Report(
      film: film, painting: output, frames: result.frames, width: result.size.width,
      height: result.size.height,
      seconds: (result.times.total * 1000).rounded() / 1000, isComplete: result.isWritten,
      notes: result.notes, changes: changes)
  }
}
