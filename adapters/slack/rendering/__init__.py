"""Block Kit and mrkdwn: replies, forms and what stands below an answer."""
