"""Wrong axes to build into the character model: each is one changed line of its source."""

import shutil
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class FaultVariant:
    """One line of one file, as it is and as it is mistaken for; `effect` says what the mistake does."""

    file: str
    right: str
    wrong: str
    effect: str

    def write(self, directory: Path) -> None:
        """Copy the examples package into directory with the wrong line in it."""
        package = directory / PACKAGE.name
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("faults", "__pycache__"))
        source = (package / self.file).read_text(encoding="utf-8")
        if source.count(self.right) != 1:
            raise ValueError(f"{self.file} holds this line {source.count(self.right)} times: {self.right}")
        (package / self.file).write_text(source.replace(self.right, self.wrong), encoding="utf-8")


FAULT_VARIANTS = {
    "position-on-batch": FaultVariant(
        file="embeddings/learned.py",
        right="return self.table(positions).unsqueeze(0)",
        wrong="return self.table(positions).unsqueeze(1)",
        effect="each sample is told that all its tokens stand at one position",
    ),
    "sum-on-batch": FaultVariant(
        file="embeddings/composer.py",
        right="return self.token(ids) + self.position(ids)",
        wrong="return self.token(ids) + self.position(ids).transpose(0, 1)",
        effect="the same, where the two embeddings are added",
    ),
    "view-for-transpose": FaultVariant(
        file="attention.py",
        right="return x.view(B, T, self.n_heads, self.d_head).transpose(1, 2)",
        wrong="return x.view(B, self.n_heads, T, self.d_head)",
        effect="each head receives a slice of time instead of a slice of features",
    ),
    "heads-for-features": FaultVariant(
        file="attention.py",
        right="return x.view(B, T, self.n_heads, self.d_head).transpose(1, 2)",
        wrong="return x.view(B, T, self.d_head, self.n_heads).transpose(1, 2)",
        effect="features of a head take the place of heads; it goes unnoticed for as long as H == Dh",
    ),
    "merge-without-transpose": FaultVariant(
        file="attention.py",
        right="return x.transpose(1, 2).reshape(B, T, self.d_model)",
        wrong="return x.reshape(B, T, self.d_model)",
        effect="each token receives what several tokens gathered",
    ),
    "norm-over-time": FaultVariant(
        file="attention.py",
        right="x = x + self.attention(self.attention_norm(x))",
        wrong="x = x + self.attention(self.attention_norm(x.transpose(1, 2)).transpose(1, 2))",
        effect="each feature is normalised over time, the future included",
    ),
    "residual-across-batch": FaultVariant(
        file="attention.py",
        right="return x + self.feed_forward(self.feed_forward_norm(x))",
        wrong="return x + self.feed_forward(self.feed_forward_norm(x)).transpose(0, 1)",
        effect="tokens of one sample are added to those of another",
    ),
    "targets-time-first": FaultVariant(
        file="character_model.py",
        right="return cross_entropy(logits.transpose(1, 2), targets)",
        wrong="return cross_entropy(logits.transpose(1, 2), targets.T)",
        effect="every prediction is compared with a character of another sample",
    ),
    "batch-time-first": FaultVariant(
        file="text.py",
        right="places = starts[:, None] + torch.arange(T)",
        wrong="places = starts + torch.arange(T)[:, None]",
        effect="a sample runs across the batch instead of along the text",
    ),
}
